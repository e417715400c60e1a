// What is not certain in an export, counted, with examples: one message tells all of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace tandem::nsys {

enum class Doubt : std::uint8_t {
  kBrokenRange,
  kCrossing,
  kNotAlike,
  kNoCall,
  kNoRange,
  kGraph,
  kOtherThread,
  kHostCopy,
  kOtherKernels,
  kTogether,
  kBesideOthers,
  kLast = kBesideOthers
};

class Doubts {
 public:
  void Add(Doubt doubt, std::string example);
  // Throws InputError where there is any.
  void Refuse(const std::string& file) const;

 private:
  struct Found {
    std::size_t count = 0;
    std::map<std::string, std::size_t> examples;
  };
  static std::string ExamplesOf(const Found& found);

  std::array<Found, static_cast<std::size_t>(Doubt::kLast) + 1> found_;
};

}  // namespace tandem::nsys
