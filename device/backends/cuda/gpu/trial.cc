#include "device/backends/cuda/gpu/trial.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"

namespace tandem::gpu {
namespace {

constexpr int kHopeless = 4;  // so many times as long as the best one

class Turns {
 public:
  explicit Turns(GpuContext& context)
      : context_(context), begin_(context.card().MakeEvent()), end_(context.card().MakeEvent()) {}

  void Take(Trial& trial) {
    if (!trial.trouble.empty() || IsHopeless(trial)) return;
    try {
      if (trial.times.empty()) Begin(trial);
      trial.times.push_back(Timed(trial));
    } catch (const EnvironmentError& error) {
      trial.trouble = error.what();
      return;
    }
    best_ = std::min(best_.value_or(trial.times.back()), trial.times.back());
  }

 private:
  bool IsHopeless(const Trial& trial) const {
    return !trial.times.empty() && trial.times[0] > *best_ * kHopeless;
  }
  // Once for whatever the first time takes longer, and until the card's clocks have risen.
  void Begin(const Trial& trial) {
    const auto once = [&] {
      trial.start(context_.stream());
      context_.stream().Wait();
    };
    once();
    context_.WarmUp(once);
  }
  Nanos Timed(const Trial& trial) {
    CardStream& stream = context_.stream();
    const int runs = context_.options().runs;
    stream.Record(*begin_);
    for (int run = 0; run < runs; ++run) trial.start(stream);
    stream.Record(*end_);
    stream.Wait();
    return end_->Since(*begin_) / runs;
  }

  GpuContext& context_;
  std::unique_ptr<Event> begin_, end_;
  std::optional<Nanos> best_;
};

}  // namespace

std::mutex& MeasuringMutex() {
  static std::mutex mutex;
  return mutex;
}

std::optional<Nanos> Trial::time() const {
  if (!trouble.empty() || times.empty()) return std::nullopt;
  return LowerMedian(times);
}

void TryInTurn(GpuContext& context, std::vector<Trial>& trials) {
  Turns turns(context);
  for (int round = 0; round < context.options().rounds; ++round) {
    for (Trial& trial : trials) turns.Take(trial);
  }
}

}  // namespace tandem::gpu
