#include "device/profiler/again.h"

#include <algorithm>

#include "device/host/clock.h"
#include "device/profiler/bench/source_turn.h"
#include "device/profiler/bench/turns.h"
#include "device/profiler/bench/unit_state.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr Nanos kMostPerSource{2'000'000'000};

class Stretch {
 public:
  Stretch(const ProfileOrder& request, ProfilerBench& bench, std::string_view name, ProfilerWatch& watch,
          ProfilerSamples& samples)
      : request_(request), bench_(bench), name_(name), watch_(watch), samples_(samples) {
    for (std::size_t unit = 0; unit < bench.units(); ++unit) states_.emplace_back(bench, unit, samples);
  }

  void Measure(Nanos budget) {
    const std::vector<ProfilerBench::ChainAt> chains = WhatIsLeft();
    if (chains.empty()) return;
    const Nanos each = budget > Nanos{0} ? budget / static_cast<std::int64_t>(chains.size()) : kMostPerSource;
    StreamRandom random("again " + name_, request_.seed);
    std::int64_t done = 0;
    for (const std::size_t c : ShuffledOrder(chains.size(), random)) {
      const std::string what = NameOf(chains[c]);
      if (!watch_.Goes(samples_, what, done++, static_cast<std::int64_t>(chains.size()))) return;
      Take(chains[c], std::min(each, kMostPerSource));
      samples_.finished.push_back(what);
    }
  }

 private:
  SampleSource KeyOf(const ProfilerBench::ChainAt& at) const {
    return {bench_.wish(at.model), bench_.unit(at.unit).name, ProfileCut::kWhole, ProfileManner::kWarm,
            bench_.variant(at.unit).precision};
  }
  std::string BeginOf(const ProfilerBench::ChainAt& at) const {
    return std::string(kAgain) + TextOf(bench_.wish(at.model)) + " on " + bench_.Label(at.unit) + ", ";
  }
  std::string NameOf(const ProfilerBench::ChainAt& at) const { return BeginOf(at) + name_; }

  std::vector<ProfilerBench::ChainAt> WhatIsLeft() const {
    std::vector<ProfilerBench::ChainAt> left;
    for (std::size_t model = 0; model < request_.models.size(); ++model) {
      for (std::size_t unit = 0; unit < bench_.units(); ++unit) {
        const ProfilerBench::ChainAt at{unit, model, ProfileCut::kWhole};
        const auto found = samples_.sources.find(KeyOf(at));
        const bool measured = found != samples_.sources.end() && !found->second.parts.empty();
        if (measured && !IsFinished(samples_, NameOf(at))) left.push_back(at);
      }
    }
    return left;
  }

  // A stretch had that many so far, on average.
  std::int64_t PassesBefore(const ProfilerBench::ChainAt& at, std::size_t passes) const {
    const std::string begin = BeginOf(at);
    const auto stretches =
        1 + std::count_if(samples_.finished.begin(), samples_.finished.end(),
                          [&](const std::string& name) { return name.starts_with(begin); });
    return std::max(static_cast<std::int64_t>(passes) / stretches, kLeastPassesAgain);
  }

  void Take(const ProfilerBench::ChainAt& at, Nanos time) {
    bench_.MakeRoom({at});
    SourceTurn turn;
    turn.chain = bench_.Chain(at.unit, at.model, at.cut);
    if (!turn.chain) return;
    turn.key = KeyOf(at);
    turn.unit = at.unit;
    turn.timed_by = bench_.OwnTimeOf(at.unit);
    turn.Begin(PartsOf(bench_.model(at.model), *turn.chain, turn.key), samples_.sources[turn.key]);
    const std::int64_t most = PassesBefore(at, turn.passes());
    bench_.thread(at.unit).Do([&](Processor&) { TakePasses(turn, most, time); });
  }

  // On the unit's thread. A reading of the yardstick stands for the few passes beside it.
  void TakePasses(SourceTurn& turn, std::int64_t most, Nanos time) {
    UnitState& state = states_[turn.unit];
    for (int warm = 0; warm < 2; ++warm) turn.Pass(false);
    const Nanos begin = SteadyNow();
    StateReading before = state.Read();
    for (std::int64_t passes = 1; passes <= most; ++passes) {
      turn.Pass(true);
      const bool last = passes == most || (passes >= kLeastPassesAgain && SteadyNow() - begin >= time);
      if (last || passes % kLeastPassesAgain == 0) {
        const StateReading after = state.Read();
        turn.NoteReading(Worse(before, after));
        before = after;
      }
      if (last) break;
    }
  }

  const ProfileOrder& request_;
  ProfilerBench& bench_;
  std::string name_;
  ProfilerWatch& watch_;
  ProfilerSamples& samples_;
  std::vector<UnitState> states_;
};

}  // namespace

void MeasureAgain(const ProfileOrder& request, ProfilerBench& bench, std::string_view stretch, Nanos budget,
                  ProfilerWatch& watch, ProfilerSamples& samples) {
  if (!watch.stopped()) Stretch(request, bench, stretch, watch, samples).Measure(budget);
}

}  // namespace tandem
