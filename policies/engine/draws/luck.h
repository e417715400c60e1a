// Numbers by chance of one draw. What a number is for decides it alone, whoever asks and in whatever order:
// the same draw is the same luck for every policy.
#pragma once

#include <cstdint>

namespace tandem {

class Luck {
 public:
  Luck(std::uint64_t seed, std::uint64_t draw);

  double Uniform(std::uint64_t what) const;                  // in [0, 1)
  double Normal(std::uint64_t what) const;                   // standard
  double Student(std::uint64_t what, double degrees) const;  // Student's t
  double Exponential(std::uint64_t what) const;              // of mean 1
  // Median 1; of a small `error` its standard deviation, of a large one never below 0.
  double Factor(std::uint64_t what, double error) const;

 private:
  struct Point {  // within the unit circle
    double x = 0, square = 0;
  };
  Point InCircle(std::uint64_t what) const;

  std::uint64_t bits_;
};

}  // namespace tandem
