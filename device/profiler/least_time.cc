#include "device/profiler/least_time.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "device/profiler/again.h"
#include "device/profiler/beside/co_running.h"
#include "device/profiler/hand_over.h"
#include "profiles/base/figures.h"
#include "profiles/estimate/layer_work.h"

namespace tandem {
namespace {

// As few of each as are measured when the time is up.
constexpr std::int64_t kFewestRuns = 3;
constexpr Nanos kTurnOfAny{10'000'000};
constexpr std::int64_t kRoundsAtLevels = 3 * 5;  // of a curve
constexpr std::int64_t kRoundsOfProbe = 5 * 6;
constexpr Nanos kToKnowTheStressor{60'000'000};
constexpr std::int64_t kTurnsOfPair = 3 * 3, kRunsOfTurn = 4;
constexpr std::int64_t kRunsOfSplit = 3;
constexpr Nanos kNotWorthALine{500'000'000};
constexpr std::int64_t kStretchesOfLoad = 4 * 2, kRunsOfStretch = 2;
constexpr std::int64_t kRoundsOfPauses = 4, kRunsOfPauses = 2 * 5, kModelsAfterPauses = 2;
constexpr Nanos kPausesOfRound{443'000'000};
constexpr Nanos kHandOversOfPair{2'000'000'000};
constexpr std::int64_t kRoundsOfSwitches = 5, kRunsOfSwitches = 2 * 3;
constexpr std::int64_t kRoundsOfRepeats = 5, kRunsOfRepeats = 2 + 3 * 4;
constexpr std::int64_t kRunsToWarmAgain = 2;
constexpr std::int64_t kTurnsOfSplitPair = 4 * 3;
constexpr Nanos kSplitTurn{15'000'000};

Nanos LeastTimeOfPair(Nanos longer) { return kTurnsOfPair * std::max(kTurnOfAny, kRunsOfTurn * longer); }

std::int64_t ModelsOn(const RunsOfModels& runs, std::size_t unit) {
  return std::count_if(runs.begin(), runs.end(), [&](const auto& run) { return run.first.first == unit; });
}

// Both parts of layers on two units at once.
Nanos LeastTimeOfParts(const ProfilerBench& bench, const RunsOfModels& runs, Nanos compiling) {
  Nanos least{0};
  for (const auto& [a, run] : runs) {
    for (const auto& [b, other_run] : runs) {
      if (a.second != b.second || a.first >= b.first || !bench.BesideEachOther(a.first, b.first)) continue;
      if (bench.OwnMemory(a.first) || bench.OwnMemory(b.first)) continue;
      least += kTurnsOfSplitPair * std::max({kSplitTurn, run, other_run}) + 2 * compiling;
    }
  }
  return least;
}

std::string InSecondsText(Nanos time) { return Fixed(InSeconds(time), 1) + " s"; }

}  // namespace

Nanos LeastTimeOfSource(Nanos run) { return kFewestRuns * run + std::max(kTurnOfAny, kFewestRuns * run); }

RunsOfModels Estimated(RunsOfModels runs, const ProfileOrder& request, const ProfilerBench& bench) {
  if (runs.empty()) return runs;
  std::vector<double> operations;
  for (std::size_t model = 0; model < request.models.size(); ++model) {
    double sum = 0;
    for (const LayerId id : WorkingLayers(bench.model(model)))
      sum += WorkOf(bench.model(model), id).operations;
    operations.push_back(std::max(sum, 1.0));
  }
  double time = 0, done = 0;
  for (const auto& [at, run] : runs) {
    time += static_cast<double>(run.count());
    done += operations[at.second];
  }
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    for (std::size_t model = 0; model < request.models.size(); ++model) {
      runs.try_emplace({unit, model}, Nanos{std::llround(operations[model] * time / done)});
    }
  }
  return runs;
}

Nanos LeastTimeBeside(const ProfileOrder& request, const ProfilerBench& bench, const RunsOfModels& runs,
                      Nanos compiling) {
  Nanos least{0};
  if (request.hand_overs) {
    least += kHandOversOfPair * static_cast<std::int64_t>(PairsInOneMemory(bench).size());
  }
  if (request.parts) least += LeastTimeOfParts(bench, runs, compiling);
  std::map<std::size_t, std::int64_t> paused;  // models per unit
  const bool wished = request.co_running == CoRunningWish::kPairs;
  std::int64_t pairs = 0;
  Nanos of_pairs{0};
  for (const auto& [at, run] : runs) {
    if (request.parts) {
      const auto splits =
          static_cast<std::int64_t>(request.parts->axes.size() * request.parts->shares.size());
      least += splits * (compiling + kRunsOfSplit * run);
    }
    if (request.pauses && ++paused[at.first] <= kModelsAfterPauses)
      least += kRoundsOfPauses * (kPausesOfRound + kRunsOfPauses * run);
    const auto cuts = static_cast<std::int64_t>(CutsOf(request).size());
    if (request.switches && ModelsOn(runs, at.first) > 1)
      least += kRoundsOfSwitches * kRunsOfSwitches * cuts * run;
    if (request.repeats) least += kRoundsOfRepeats * kRunsOfRepeats * (cuts - 1) * run;
    for (const LoadWish& load : request.background) {
      if (load.unit != bench.unit(at.first).name) continue;
      least += kStretchesOfLoad * std::max(2 * kTurnOfAny, kRunsOfStretch * run);
    }
    const bool wished_beside = request.co_running != CoRunningWish::kNone;
    if (wished_beside || request.parts || request.pauses || request.switches || request.repeats ||
        !request.background.empty()) {
      least += kStretchesAgain * (kLeastPassesAgain + kRunsToWarmAgain) * run;
    }
    if (!wished_beside) continue;
    bool probed = bench.unit(at.first).cores.empty();
    for (std::size_t beside = 0; beside < bench.units(); ++beside) {
      if (!bench.BesideEachOther(at.first, beside) || bench.unit(beside).cores.empty()) continue;
      least += kToKnowTheStressor + kRoundsAtLevels * std::max(kTurnOfAny, run) + compiling;
      if (!std::exchange(probed, true)) least += kToKnowTheStressor + kRoundsOfProbe * kTurnOfAny;
    }
    for (const auto& [other, other_run] : runs) {
      if (!wished || other.first <= at.first || !bench.AtOnce(at.first, other.first)) continue;
      of_pairs += LeastTimeOfPair(std::max(run, other_run)) + compiling;
      ++pairs;
    }
  }
  if (pairs > kPairsAlways) of_pairs = of_pairs / pairs * kPairsAlways;  // others and groups may be left out
  return least + of_pairs;
}

Nanos TakesInAll(Nanos budget, const LeastTime& least) {
  return least.prepared + std::max(budget, least.alone + least.beside);
}

std::string WhyOverBudget(Nanos budget, const LeastTime& least) {
  const Nanos measured = least.alone + least.beside;
  const Nanos all = TakesInAll(budget, least);
  if (budget <= Nanos{0} || all <= budget + std::max(budget / 10, kNotWorthALine)) return "";
  std::string why;
  const auto add = [&](const std::string& reason) { why += (why.empty() ? "" : ", ") + reason; };
  if (least.prepared > budget / 10) add(InSecondsText(least.prepared) + " to load and compile the models");
  if (measured > budget) {
    add("the fewest runs of " + std::to_string(least.sources) + " measurements take " +
        InSecondsText(least.alone));
    if (least.beside > Nanos{0})
      add("parts of layers and models beside others " + InSecondsText(least.beside));
  }
  return "this takes about " + InSecondsText(all) + ", not the " + InSecondsText(budget) +
         " of the budget: " + why;
}

}  // namespace tandem
