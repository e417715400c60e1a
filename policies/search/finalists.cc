#include "policies/search/finalists.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "policies/engine/draws/sampled_times.h"
#include "policies/engine/virtual_runner.h"
#include "scenarios/report/draws.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostDraws = 21, kLeastDraws = 5, kRequests = 200'000;  // of all draws together
constexpr std::uint64_t kNoiseDraws = 3;  // by which is measured how much tasks vary

// `times` outlives the run.
RunOptions Drawing(const SampledTimes& times) {
  RunOptions options;
  times.SetIn(options);
  return options;
}

// How far the work of its tasks is from the profiled, in the square mean.
Nanos NoiseOf(const Candidate& candidate) {
  const Problem& problem = *candidate.problem;
  double sum = 0;
  for (std::uint64_t draw = 1; draw <= kNoiseDraws; ++draw) {
    const SampledTimes times(problem, draw);
    for (const Decision& taken : candidate.taken) {
      Task task;
      task.index = taken.index;
      task.stream = taken.stream;
      task.segment = taken.segment;
      const auto off = static_cast<double>(
          (times.Work(task, taken.unit, false) - problem.Work(taken.segment, taken.unit)).count());
      sum += off * off;
    }
  }
  const double tasks = static_cast<double>(kNoiseDraws) * static_cast<double>(candidate.taken.size());
  return Nanos{std::llround(std::sqrt(sum / tasks))};
}

// The schedule as it runs by the profiled times with so much slack: then that is its order.
std::optional<Candidate> WithSlack(const Tries& tries, const Candidate& strict) {
  if (!strict.decisions.schedule || strict.taken.empty()) return std::nullopt;
  const Nanos slack = NoiseOf(strict);
  if (slack <= Nanos{0}) return std::nullopt;
  Candidate candidate = strict;
  const auto set = [&](FixedSchedule schedule) {
    schedule.slack = slack;
    candidate.decisions.schedule = std::make_shared<FixedSchedule>(std::move(schedule));
  };
  set(*strict.decisions.schedule);
  candidate.cost = CostOfSchedule(*candidate.problem, candidate.decisions, tries.certain(), candidate.taken);
  set(ScheduleOf(candidate.taken, *candidate.problem));
  return candidate;
}

// The objective under each draw; nothing where there is nothing to draw. Policies are made one by one, since
// they may ask a solver of which there is one.
std::vector<ScheduleCost> CostsOf(const Candidate& candidate, std::int64_t draws, Threads& threads) {
  std::vector<Prepared> made;
  for (std::int64_t draw = 1; draw <= draws; ++draw)
    made.push_back(MakeDecided(candidate.decisions, *candidate.problem));
  const SampledTimes first(*made[0].problem, 1);
  if (!first.any()) return {};
  std::vector<ScheduleCost> costs(made.size());
  threads.Run(made.size(), [&](std::size_t i) {
    const Problem& problem = *made[i].problem;
    const SampledTimes times = first.Another(i + 1);
    costs[i] = CostOf(problem.scenario(), RunVirtual(problem, *made[i].policy, Drawing(times)));
  });
  return costs;
}

ScheduleCost MeanOf(const std::vector<ScheduleCost>& costs) {
  ScheduleCost mean;
  for (const ScheduleCost& cost : costs) {
    mean.excess += cost.excess;
    mean.value += cost.value / static_cast<double>(costs.size());
    for (std::size_t t = 0; t < cost.ties.size(); ++t)
      mean.ties[t] += cost.ties[t] / static_cast<double>(costs.size());
  }
  mean.excess = RoundedExcess(RoundedExcess(mean.excess) / static_cast<double>(costs.size()));
  return mean;
}

struct Finalist {
  Candidate candidate;
  std::vector<ScheduleCost> costs;  // per draw
  ScheduleCost mean;
};

// What the scenario says that comes next, where it says that.
bool IsWorseByTheNext(const Finalist& one, const Finalist& best) {
  const std::size_t next = one.candidate.problem->scenario().then.size();
  return std::ranges::lexicographical_compare(std::span(best.mean.ties).first(next),
                                              std::span(one.mean.ties).first(next));
}

// In no less than a tenth of the draws as good as the other, and in the mean no worse than noise explains.
bool CannotBeTold(const Finalist& one, const Finalist& best) {
  std::vector<double> worse_by;
  for (std::size_t d = 0; d < one.costs.size(); ++d) {
    worse_by.push_back(one.costs[d].value - best.costs[d].value);
  }
  const auto as_good = std::ranges::count_if(worse_by, [](double by) { return by <= 0; });
  return static_cast<double>(as_good) >= kToldApart * static_cast<double>(worse_by.size()) &&
         one.mean.excess <= best.mean.excess && IsWithinNoise(worse_by);
}

// The less the simpler.
auto Simplicity(const Candidate& candidate) {
  const PolicyDeclaration& rule = *candidate.decisions.rule->declaration;
  return std::tuple(candidate.makeup, !rule.takes_granularity, candidate.problem->granularity(),
                    rule.role != PolicyRole::kBaseline);
}

// The position of the simplest rule that cannot be told from the first one; 0: there is none, or it is that.
std::size_t Simplest(const std::vector<Finalist>& finalists) {
  std::size_t simplest = 0;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (!finalists[i].candidate.decisions.rule || !CannotBeTold(finalists[i], finalists[0])) continue;
    if (IsWorseByTheNext(finalists[i], finalists[0])) continue;
    const bool none = !finalists[simplest].candidate.decisions.rule;
    if (none || Simplicity(finalists[i].candidate) < Simplicity(finalists[simplest].candidate)) simplest = i;
  }
  return simplest;
}

std::vector<Finalist> FinalistsOf(const Tries& tries, std::int64_t draws, Threads& threads) {
  std::vector<Finalist> finalists;
  const auto add = [&](const Candidate& candidate) {
    finalists.push_back({candidate, CostsOf(candidate, draws, threads), candidate.cost});
    if (!finalists.back().costs.empty()) finalists.back().mean = MeanOf(finalists.back().costs);
  };
  for (const Candidate& candidate : tries.best()) {
    if (!candidate.decisions.rule) add(candidate);
    if (finalists.empty() || finalists.back().costs.empty()) continue;
    if (const auto loose = WithSlack(tries, candidate)) add(*loose);
  }
  for (const Candidate& candidate : tries.rules()) add(candidate);
  return finalists;
}

}  // namespace

Finals JudgeFinalists(const Tries& tries, Threads& threads) {
  Finals finals;
  finals.order = tries.best();
  const SampledTimes times(*tries.front().problem);
  if (!times.any()) return finals;
  finals.draws = std::clamp(kRequests / std::max<std::int64_t>(tries.requests(), 1), kLeastDraws, kMostDraws);
  std::vector<Finalist> finalists = FinalistsOf(tries, finals.draws, threads);
  std::erase_if(finalists, [](const Finalist& finalist) { return finalist.costs.empty(); });
  if (finalists.empty()) return finals;
  std::stable_sort(finalists.begin(), finalists.end(),
                   [](const Finalist& a, const Finalist& b) { return a.mean < b.mean; });
  const std::size_t taken = Simplest(finalists);
  if (taken != 0) finals.simplest = finalists[taken].candidate.decisions.rule->label;
  std::rotate(finalists.begin(), finalists.begin() + static_cast<std::ptrdiff_t>(taken),
              finalists.begin() + static_cast<std::ptrdiff_t>(taken) + 1);
  finals.order.clear();
  for (Finalist& finalist : finalists) finals.order.push_back(std::move(finalist.candidate));
  return finals;
}

}  // namespace tandem
