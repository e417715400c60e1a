#include "policies/search/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/recording_policy.h"
#include "policies/kinds/scheduled_policy.h"
#include "policies/problem/resident_options.h"
#include "policies/search/count_schedule.h"
#include "policies/search/exact_schedule.h"
#include "policies/search/local_search.h"
#include "policies/search/merge_pieces.h"
#include "policies/search/search_end.h"
#include "profiles/base/input_error.h"
#include "profiles/program/long_run.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostTasks = 20'000;        // of a schedule that is improved task by task
constexpr std::int64_t kMostRequests = 2'000'000;  // beyond, rules are tried as the scenario has them
constexpr std::size_t kStarts = 3;                 // that local search improves
constexpr std::int64_t kMostTuned = 500;           // rules of one kind with numbers of their own
constexpr std::size_t kMostEdges = 200;            // that are tried one by one
constexpr std::array kGranularities = {Granularity::kModel, Granularity::kGroup, Granularity::kLayer};

using ProblemPtr = std::shared_ptr<const Problem>;

struct Candidate {
  ProblemPtr problem;
  Decisions decisions;
  std::vector<Decision> taken;  // empty where there are too many
  ScheduleCost cost;
};

std::int64_t AboutRequests(const Scenario& scenario) {
  std::int64_t total = 0;
  for (const RequestCount& count : CountRequests(scenario.streams, scenario.seed)) total += count.count;
  return total;
}

UnitId BusiestUnit(const Problem& problem, const Outcome& outcome) {
  std::size_t busiest = 0;
  const auto busy = [&](std::size_t u) { return outcome.units[u].busy / problem.platform().units[u].slots; };
  for (std::size_t u = 1; u < outcome.units.size(); ++u) {
    if (busy(u) > busy(busiest)) busiest = u;
  }
  return UnitId(busiest);
}

class BestSearch {
 public:
  BestSearch(const Scenario& scenario, std::int64_t evaluations)
      : scenario_(&scenario),
        left_(evaluations),
        requests_(AboutRequests(scenario)),
        certain_(CertainRequests(scenario)),
        random_("best", scenario.seed) {}

  Decisions Run();

 private:
  void TryRules();
  std::vector<PolicySpec> Defaults(const PolicyDeclaration& declaration) const;
  void TryAsAsked(const PolicySpec& spec);
  void TryRule(const PolicySpec& spec, const ProblemPtr& asked);
  void TryResidents();
  void TryCounts(const ProblemPtr& problem);
  void TrySchedule(const ProblemPtr& problem, FixedSchedule schedule);
  void Keep(Candidate candidate);
  void TryTuned(const PolicyDeclaration& declaration, std::int64_t evaluations);
  void TryExact(const ProblemPtr& problem);
  void TryTasks(const std::shared_ptr<const CutPlan>& cuts, const Candidate& like,
                const std::vector<Decision>* tasks);
  void TryMerged();
  void TryMappings();
  void ImproveStarts(std::int64_t evaluations);
  void Improve(const Candidate& start, std::int64_t evaluations);
  double GoodEnough();
  const ProblemPtr& At(Granularity granularity);

  const Scenario* scenario_;
  std::int64_t left_;
  std::int64_t requests_;
  std::vector<std::int64_t> certain_;
  StreamRandom random_;
  double good_enough_ = 0;
  std::map<Granularity, ProblemPtr> problems_;
  std::vector<Candidate> best_;  // the best first, of different costs
  std::optional<InputError> why_not_;
};

// Null where a stream cannot be run at that granularity.
const ProblemPtr& BestSearch::At(Granularity granularity) {
  const auto [found, is_new] = problems_.try_emplace(granularity);
  if (is_new) {
    try {
      found->second = std::make_shared<const Problem>(*scenario_, granularity);
    } catch (const InputError& error) {
      if (!why_not_) why_not_ = error;
    }
  }
  return found->second;
}

// The better one first; of equals the one that was there before.
void BestSearch::Keep(Candidate candidate) {
  const auto place = std::lower_bound(best_.begin(), best_.end(), candidate.cost,
                                      [](const Candidate& c, ScheduleCost cost) { return c.cost < cost; });
  if (place != best_.end() && place->cost == candidate.cost) return;
  best_.insert(place, std::move(candidate));
  if (best_.size() > kStarts) best_.pop_back();
}

void BestSearch::TryRule(const PolicySpec& spec, const ProblemPtr& asked) {
  if (!asked || (EndIsAsked() && !best_.empty())) return;
  Candidate candidate;
  try {
    const Prepared made = MakePolicy(spec, asked);
    RecordingPolicy recording(*made.policy, kMostTasks);
    candidate.problem = made.problem;
    candidate.cost = CostOf(*scenario_, RunVirtual(*made.problem, recording));
    candidate.taken = recording.TakeAll();
  } catch (const InputError& error) {
    if (!why_not_) why_not_ = error;  // it does not fit
    return;
  }
  --left_;
  const Problem& problem = *candidate.problem;
  candidate.decisions = {problem.granularity(), problem.cut_plan(), ChosenResidents(problem),
                         std::make_shared<PolicySpec>(spec), nullptr};
  Keep(std::move(candidate));
}

// Searches look at everything else.
bool IsRule(const PolicySpec& spec) {
  return spec.decided || (spec.declaration->make && !spec.declaration->clairvoyant);
}

void BestSearch::TryAsAsked(const PolicySpec& spec) {
  try {
    TryRule(spec, ProblemFor(spec, *scenario_));
  } catch (const InputError& error) {
    if (!why_not_) why_not_ = error;
  }
}

// What is tried of a policy that nobody asked for; what does not fit the scenario is left out.
std::vector<PolicySpec> BestSearch::Defaults(const PolicyDeclaration& declaration) const {
  std::vector<std::string> texts = {JsonString(declaration.name)};
  if (declaration.variants) texts = declaration.variants(*scenario_);
  std::vector<PolicySpec> specs;
  for (const std::string& text : texts) {
    try {
      const JsonDocument document = JsonDocument::Parse(text, scenario_->file);
      specs.push_back(ReadPolicy(document.root(), *scenario_));
    } catch (const InputError&) {
      // It wants to be told more, or other units.
    }
  }
  return specs;
}

void BestSearch::TryRules() {
  for (const PolicySpec& spec : scenario_->policies) {
    if (IsRule(spec)) TryAsAsked(spec);
  }
  for (const PolicyDeclaration& declaration : Policies()) {
    for (PolicySpec& spec : Defaults(declaration)) {
      if (!IsRule(spec)) continue;
      if (!declaration.takes_granularity) TryAsAsked(spec);
      for (const Granularity granularity : kGranularities) {
        if (!declaration.takes_granularity) continue;
        if (requests_ > kMostRequests && granularity != Granularity::kModel) continue;
        spec.granularity = granularity;
        TryRule(spec, At(granularity));
      }
    }
  }
}

void BestSearch::TrySchedule(const ProblemPtr& problem, FixedSchedule schedule) {
  Candidate candidate;
  candidate.problem = problem;
  candidate.decisions = {problem->granularity(), problem->cut_plan(), ChosenResidents(*problem), nullptr,
                         std::make_shared<FixedSchedule>(std::move(schedule))};
  try {
    ScheduledPolicy policy(*problem, candidate.decisions, certain_);
    RecordingPolicy recording(policy, kMostTasks);
    candidate.cost = CostOf(*scenario_, RunVirtual(*problem, recording));
    candidate.taken = recording.TakeAll();
  } catch (const InputError&) {
    return;
  }
  --left_;
  Keep(std::move(candidate));
}

void BestSearch::TryCounts(const ProblemPtr& problem) {
  if (auto schedule = ScheduleByCounts(*problem, random_)) TrySchedule(problem, std::move(*schedule));
}

bool AllRun(const Problem& problem) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (!problem.RunsSomewhere(SegmentId(s))) return false;
  }
  return true;
}

// What the units may hold in other ways than the default, with rules that use the units well.
void BestSearch::TryResidents() {
  for (const Granularity granularity : kGranularities) {
    const ProblemPtr& base = At(granularity);
    if (!base) continue;
    if (granularity == Granularity::kModel) TryCounts(base);
    for (const ResidentOption& option : ResidentOptions(*base)) {
      const auto held = base->Holding(option);
      if (!held) continue;
      const auto problem = std::make_shared<const Problem>(base->With(*held));
      if (!AllRun(*problem)) continue;
      for (const PolicyDeclaration& declaration : Policies()) {
        if (!declaration.suits_any_residents) continue;
        PolicySpec spec = PolicyByName(declaration.name, *scenario_, scenario_->file);
        spec.granularity = granularity;
        TryRule(spec, problem);
      }
      if (granularity == Granularity::kModel) TryCounts(problem);
    }
  }
}

void BestSearch::Improve(const Candidate& start, std::int64_t evaluations) {
  const Problem& problem = *start.problem;
  Decisions decisions = start.decisions;
  decisions.rule = nullptr;
  const LocalSearch::Evaluate evaluate = [&](const std::vector<Decision>& tasks) -> std::optional<Evaluated> {
    --left_;
    decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(tasks, problem));
    try {
      ScheduledPolicy policy(problem, decisions, certain_);
      const Outcome outcome = RunVirtual(problem, policy);
      return Evaluated{CostOf(*scenario_, outcome), BusiestUnit(problem, outcome)};
    } catch (const InputError&) {
      return std::nullopt;  // an order in which tasks wait for each other
    }
  };
  LocalSearch search(problem, evaluate, random_);
  search.Run(start.taken, evaluations, good_enough_);
  if (search.best().empty() || !(search.best_cost() < best_.front().cost)) return;
  decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(search.best(), problem));
  Candidate better{start.problem, decisions, search.best(), search.best_cost()};
  Keep(std::move(better));
}

// No schedule is better than this.
double BestSearch::GoodEnough() {
  std::vector<const Problem*> problems;
  for (const Granularity granularity : kGranularities) {
    if (At(granularity)) problems.push_back(At(granularity).get());
  }
  return LeastObjective(*scenario_, problems);
}

// Half of them for the best one.
void BestSearch::ImproveStarts(std::int64_t evaluations) {
  const std::int64_t until = std::max<std::int64_t>(left_ - evaluations, 0);
  const std::vector<Candidate> starts = best_;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t left = left_ - until;
    const std::int64_t share = i + 1 == starts.size() ? left : left / 2;
    if (best_.front().cost.value <= good_enough_) return;
    if (!starts[i].taken.empty() && share > 0) Improve(starts[i], share);
  }
}

// A rule with numbers of its own, ever closer to the best that were found.
void BestSearch::TryTuned(const PolicyDeclaration& declaration, std::int64_t evaluations) {
  const ProblemPtr& problem = At(best_.front().problem->granularity());
  if (!problem) return;
  const std::int64_t until = left_ - std::min(evaluations, kMostTuned);
  std::vector<double> best;
  ScheduleCost least = best_.front().cost;
  for (std::int64_t round = 0; left_ > until && least.value > good_enough_; ++round) {
    const std::int64_t before = left_;
    std::vector<double> tried = best;
    const std::string text = declaration.tuned(*scenario_, random_, round, tried);
    PolicySpec spec = ReadPolicy(JsonDocument::Parse(text, scenario_->file).root(), *scenario_);
    spec.granularity = problem->granularity();
    TryRule(spec, problem);
    if (left_ == before) return;  // it cannot be run
    if (!(best_.front().cost < least)) continue;
    least = best_.front().cost;
    best = tried;
  }
}

void BestSearch::TryExact(const ProblemPtr& problem) {
  if (auto schedule = ExactSchedule(*problem)) TrySchedule(problem, std::move(*schedule));
}

// The schedule of `like` on other cuts: `tasks`, or its own where segments stay what they are.
void BestSearch::TryTasks(const std::shared_ptr<const CutPlan>& cuts, const Candidate& like,
                          const std::vector<Decision>* tasks) {
  try {
    const Problem cut(*scenario_, like.problem->granularity(), cuts);
    const auto held = cut.Holding(like.decisions.residents);
    if (!held) return;
    const auto problem = std::make_shared<const Problem>(cut.With(*held));
    TrySchedule(problem,
                ScheduleOf(tasks ? *tasks : MergedTasks(*like.problem, *problem, like.taken), *problem));
  } catch (const InputError&) {
    // It cannot be cut so.
  }
}

// Neighbours that always run on one unit as one task: they are dispatched once and may run fused.
void BestSearch::TryMerged() {
  const std::vector<Candidate> starts = best_;
  for (const Candidate& start : starts) {
    if (left_ <= 0 || start.taken.empty()) continue;
    if (const auto cuts = MergedCuts(*start.problem, start.taken)) TryTasks(cuts, start, nullptr);
  }
}

// Reading through a mapping instead of copying: everything, then edge by edge.
void BestSearch::TryMappings() {
  if (scenario_->platform->memories.size() < 2 || best_.front().taken.empty()) return;
  const auto with = [](const Candidate& of, const std::vector<EdgeMode>& edges) {
    auto cuts = std::make_shared<CutPlan>();
    if (of.problem->cut_plan()) *cuts = *of.problem->cut_plan();
    cuts->edges.insert(cuts->edges.end(), edges.begin(), edges.end());
    return cuts;
  };
  std::vector<EdgeMode> edges = MappableEdges(*best_.front().problem, best_.front().taken);
  if (edges.empty()) return;
  const Candidate start = best_.front();
  TryTasks(with(start, edges), start, &start.taken);
  if (edges.size() > kMostEdges) edges.resize(kMostEdges);
  for (const EdgeMode& edge : edges) {
    if (left_ <= 0) return;
    const Candidate best = best_.front();
    if (best.problem->cut_plan() && std::count(best.problem->cut_plan()->edges.begin(),
                                               best.problem->cut_plan()->edges.end(), edge) > 0) {
      continue;
    }
    TryTasks(with(best, {edge}), best, &best.taken);
  }
}

// Whatever rules reach first, on every cut and choice of residents; then, while evaluations are left, rules
// with numbers of their own and local search from the best schedules, and between them neighbours merged into
// one task and copies replaced by mappings.
Decisions BestSearch::Run() {
  TryRules();
  TryResidents();
  if (best_.empty()) {
    if (why_not_) throw *why_not_;
    throw InputError(scenario_->file + ": no policy can run the scenario");
  }
  for (const Granularity granularity : kGranularities) {
    if (At(granularity)) TryExact(At(granularity));
  }
  if (left_ > 0) {
    good_enough_ = GoodEnough();
    for (const PolicyDeclaration& declaration : Policies()) {
      if (declaration.tuned) TryTuned(declaration, left_ / 4);
    }
    TryMerged();
    ImproveStarts(left_ - left_ / 4);
    TryMerged();
    TryMappings();
    ImproveStarts(left_);
  }
  return best_.front().decisions;
}

}  // namespace

std::int64_t DefaultEvaluations(const Scenario& scenario) {
  constexpr std::int64_t kMost = 5000, kLeast = 100, kTasks = 2'000'000;
  return std::clamp(kTasks / std::max<std::int64_t>(AboutRequests(scenario), 1), kLeast, kMost);
}

Decisions FindBest(const Scenario& scenario, std::int64_t evaluations) {
  return BestSearch(scenario, evaluations).Run();
}

}  // namespace tandem
