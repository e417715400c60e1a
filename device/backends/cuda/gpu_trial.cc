#include "device/backends/cuda/gpu_trial.h"

#include <algorithm>
#include <vector>

#include "profiles/input_error.h"

namespace tandem::gpu {
namespace {

constexpr int kRounds = 3, kRuns = 4;
constexpr int kHopeless = 4;  // so many times as long as the best one

}  // namespace

std::mutex& MeasuringMutex() {
  static std::mutex mutex;
  return mutex;
}

std::optional<Nanos> TrialTime(GpuContext& context, const std::function<void(Stream&)>& start,
                               std::optional<Nanos> best, std::string& trouble) {
  Stream& stream = context.stream();
  try {
    start(stream);  // once for whatever the first time takes longer
    stream.Wait();
    const auto begin = context.card().MakeEvent(), end = context.card().MakeEvent();
    std::vector<Nanos> times;
    for (int round = 0; round < kRounds; ++round) {
      stream.Record(*begin);
      for (int run = 0; run < kRuns; ++run) start(stream);
      stream.Record(*end);
      stream.Wait();
      times.push_back(end->Since(*begin) / kRuns);
      if (best && times[0] > *best * kHopeless) break;
    }
    std::sort(times.begin(), times.end());
    return times[(times.size() - 1) / 2];
  } catch (const EnvironmentError& error) {
    trouble = error.what();
    return std::nullopt;
  }
}

}  // namespace tandem::gpu
