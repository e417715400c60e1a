#include <algorithm>
#include <array>
#include <thread>

#include "device/profiler/co_running_jobs.h"
#include "device/profiler/continuous_run.h"
#include "profiles/base/statistics.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kLeastTurn{15'000'000};
constexpr std::size_t kLeastPairRounds = 3, kMostPairRounds = 60;
constexpr std::int64_t kRunsPerTurn = 4;  // of the longer model; the first and the last do not count

struct PairedChain {
  PairSide at;
  ProfiledChain* chain = nullptr;
  std::vector<Nanos> alone, beside;
};

void Append(const std::vector<Nanos>& times, std::vector<Nanos>& to) {
  to.insert(to.end(), times.begin(), times.end());
}

Nanos OneRun(ProfilerBench& bench, const PairedChain& side) {
  Nanos time{0};
  bench.thread(side.at.unit).Do([&](Processor&) { side.chain->Run(std::span(&time, 1)); });
  return time;
}

// Turn 0 and 1: a side alone; 2: both.
void Take(ProfilerBench& bench, std::array<PairedChain, 2>& sides, std::size_t turn, Nanos longer) {
  const auto wait = [&](Nanos pass) {
    std::this_thread::sleep_for(std::max(kLeastTurn, kRunsPerTurn * pass));
  };
  if (turn < 2) {
    ContinuousRun run(bench.thread(sides[turn].at.unit), *sides[turn].chain);
    wait(longer);
    Append(run.Stop(), sides[turn].alone);
    return;
  }
  ContinuousRun a(bench.thread(sides[0].at.unit), *sides[0].chain);
  ContinuousRun b(bench.thread(sides[1].at.unit), *sides[1].chain);
  wait(longer);
  Append(a.Stop(), sides[0].beside);
  Append(b.Stop(), sides[1].beside);
}

void AddEntries(CoRunningContext& context, const PairedChain& side, const PairedChain& other) {
  if (side.alone.empty() || side.beside.empty()) return;
  const ProfilerBench& bench = context.bench;
  CoRunningEntry entry;
  entry.unit = bench.unit(side.at.unit).name;
  entry.model = bench.wish(side.at.model).model;
  entry.beside = bench.unit(other.at.unit).name;
  entry.beside_model = bench.wish(other.at.model).model;
  entry.slowdown = SlowdownOf(LowerMedian(side.beside), LowerMedian(side.alone));
  context.samples.co_running.push_back(entry);
}

}  // namespace

bool MeasurePair(CoRunningContext& context, PairSide a, PairSide b, Nanos time) {
  ProfilerBench& bench = context.bench;
  bench.MakeRoom({{a.unit, a.model}, {b.unit, b.model}});
  std::array<PairedChain, 2> sides = {
      PairedChain{a, bench.Chain(a.unit, a.model, ProfileCut::kWhole), {}, {}},
      PairedChain{b, bench.Chain(b.unit, b.model, ProfileCut::kWhole), {}, {}}};
  if (!sides[0].chain || !sides[1].chain) return true;
  const Nanos longer = std::max(OneRun(bench, sides[0]), OneRun(bench, sides[1]));
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < kMostPairRounds; ++round) {
    if (round >= kLeastPairRounds && Clock::now() - begin >= time) break;
    for (const std::size_t turn : ShuffledOrder(3, context.random)) {
      if (!context.Goes(bench.wish(a.model).model + " beside " + bench.wish(b.model).model)) return false;
      Take(bench, sides, turn, longer);
    }
  }
  AddEntries(context, sides[0], sides[1]);
  AddEntries(context, sides[1], sides[0]);
  return true;
}

}  // namespace tandem
