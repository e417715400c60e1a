#include "device/profiler/beside/stressed_levels.h"

#include <algorithm>
#include <limits>

namespace tandem {
namespace {

constexpr double kAll = std::numeric_limits<double>::infinity();
constexpr std::chrono::milliseconds kTry{15}, kLevelSettles{2};
constexpr int kTries = 4;

}  // namespace

StressedLevels::StressedLevels(const std::vector<std::int64_t>& cores) : stressor_(cores) {
  // The most of a few tries: whatever else the machine does takes from it, and the first warms up.
  for (int tries = 0; tries < kTries; ++tries) {
    stressor_.Set(kAll);
    std::this_thread::sleep_for(kTry);
    full_ = std::max(full_, stressor_.Achieved());
  }
  stressor_.Set(0);
}

void StressedLevels::Begin(std::size_t level) {
  level_ = level;
  const double part = kStressLevels[level];
  const double pace = part < 1 ? part * full_ : kAll;
  stressor_.Set(pace);
  std::this_thread::sleep_for(kLevelSettles);
  stressor_.Set(pace);
  begin_ = std::chrono::steady_clock::now();
}

void StressedLevels::End() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  moved_[level_].bytes += stressor_.Achieved() * seconds;
  moved_[level_].seconds += seconds;
  stressor_.Set(0);
}

double StressedLevels::Traffic(std::size_t level) const {
  return moved_[level].seconds > 0 ? moved_[level].bytes / moved_[level].seconds : 0;
}

}  // namespace tandem
