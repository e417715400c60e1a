// A stressor that is taken through the levels of kStressLevels again and again, and what traffic each of them
// came to.
#pragma once

#include <array>
#include <vector>

#include "device/loads/stressor.h"
#include "device/profiler/beside/jobs.h"

namespace tandem {

class StressedLevels {
 public:
  explicit StressedLevels(const std::vector<std::int64_t>& cores);

  void Begin(std::size_t level);  // and lets it settle
  void End();
  double Traffic(std::size_t level) const;  // bytes per second, over all of the level's turns

 private:
  struct Moved {
    double bytes = 0, seconds = 0;
  };
  Stressor stressor_;
  double full_ = 0;
  std::size_t level_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::array<Moved, kStressLevels.size()> moved_{};
};

}  // namespace tandem
