#include "device/profiler/measurement_overhead.h"

#include <array>
#include <chrono>

#include "device/processor/processor.h"
#include "device/profiler/samples/statistics.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

class Nothing final : public Executable {
 public:
  void Run(std::span<const float* const>, std::span<float* const>) override {}
  std::vector<ExecutionStep> Steps() const override { return {}; }
  void RunTimed(std::span<const float* const>, std::span<float* const>, std::span<Nanos>) override {}
};

}  // namespace

Nanos MeasurementOverhead() {
  const std::unique_ptr<Executable> nothing = std::make_unique<Nothing>();
  std::array<Nanos, 1001> times{};
  for (Nanos& time : times) {
    const auto begin = Clock::now();
    nothing->Run({}, {});
    time = std::chrono::duration_cast<Nanos>(Clock::now() - begin);
  }
  return IntervalOfMedian(times).median;
}

}  // namespace tandem
