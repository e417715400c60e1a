// What a device has run of a validation while it goes on, for somebody who waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/exchange/run_answer.h"
#include "sim/study/validation.h"

namespace tandem {

class RunsSoFar {
 public:
  RunsSoFar(const std::vector<Prediction>& plans, std::int64_t repeats);

  void Take(const RunAnswer& told);  // one run or several
  std::int64_t done() const { return done_; }
  std::int64_t wanted() const { return wanted_; }
  std::chrono::seconds expected() const;  // of all runs, as they are predicted
  // Of each plan what was predicted and the median of what was measured.
  std::vector<std::string> Lines() const;

 private:
  struct Plan {
    std::string label;
    Nanos predicted{0};
    std::vector<Nanos> measured;
  };
  std::vector<Plan> plans_;
  Nanos expected_{0};
  std::int64_t done_ = 0, wanted_ = 0;
};

}  // namespace tandem
