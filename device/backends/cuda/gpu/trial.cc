#include "device/backends/cuda/gpu/trial.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"

namespace tandem::gpu {
namespace {

constexpr int kHopeless = 4;  // so many times as long as the best one

}  // namespace

std::mutex& MeasuringMutex() {
  static std::mutex mutex;
  return mutex;
}

std::optional<Nanos> TrialTime(GpuContext& context, const std::function<void(CardStream&)>& start,
                               std::optional<Nanos> best, std::string& trouble) {
  CardStream& stream = context.stream();
  const auto [rounds, runs] = std::pair(context.options().rounds, context.options().runs);
  try {
    start(stream);  // once for whatever the first time takes longer
    stream.Wait();
    const auto begin = context.card().MakeEvent(), end = context.card().MakeEvent();
    std::vector<Nanos> times;
    for (int round = 0; round < rounds; ++round) {
      stream.Record(*begin);
      for (int run = 0; run < runs; ++run) start(stream);
      stream.Record(*end);
      stream.Wait();
      times.push_back(end->Since(*begin) / runs);
      if (best && times[0] > *best * kHopeless) break;
    }
    return LowerMedian(std::move(times));
  } catch (const EnvironmentError& error) {
    trouble = error.what();
    return std::nullopt;
  }
}

}  // namespace tandem::gpu
