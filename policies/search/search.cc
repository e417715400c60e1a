#include "policies/search/search.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "policies/bounds/any_cut.h"
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "policies/problem/resident_options.h"
#include "policies/search/count_schedule.h"
#include "policies/search/cut_moves.h"
#include "policies/search/exact_schedule.h"
#include "policies/search/finalists.h"
#include "policies/search/local_search.h"
#include "policies/search/merge_pieces.h"
#include "policies/search/search_end.h"
#include "policies/search/tries.h"
#include "profiles/base/input_error.h"
#include "profiles/program/long_run.h"
#include "profiles/program/threads.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRequests = 2'000'000;  // beyond, rules are tried as the scenario has them
constexpr std::int64_t kMostTuned = 500;           // rules of one kind with numbers of their own
constexpr std::int64_t kMostCutMoves = 300;        // steps in how models are cut
constexpr std::size_t kMostEdges = 200;            // that are tried one by one
constexpr std::array kGranularities = {Granularity::kModel, Granularity::kGroup, Granularity::kLayer};

class BestSearch {
 public:
  BestSearch(const Scenario& scenario, std::int64_t evaluations, std::size_t cores)
      : scenario_(&scenario),
        tries_(scenario, evaluations),
        random_("best", scenario.seed),
        threads_(cores) {}

  std::vector<Decisions> Run();

 private:
  void TryRules();
  std::vector<PolicySpec> Defaults(const PolicyDeclaration& declaration) const;
  void TryResidents();
  void TryCounts(const ProblemPtr& problem);
  void TryTuned(const PolicyDeclaration& declaration, std::int64_t evaluations);
  void TryExact(const ProblemPtr& problem);
  void TryTasks(const std::shared_ptr<const CutPlan>& cuts, const Candidate& like,
                const std::function<std::vector<Decision>(const Problem& cut)>& tasks);
  void TryMerged();
  void TryMappings();
  void TryCutMoves(std::int64_t evaluations);
  void ImproveStarts(std::int64_t evaluations);
  void Improve(const Candidate& start, std::int64_t evaluations);
  void TryAll();
  double GoodEnough();
  bool IsGoodEnough(ScheduleCost cost) const { return cost.excess <= 0 && cost.value <= good_enough_; }
  bool IsGoodEnough() const { return IsGoodEnough(tries_.front().cost); }
  SearchStory Story(const Finals& finals) const;

  const Scenario* scenario_;
  Tries tries_;
  StreamRandom random_;
  Threads threads_;
  double good_enough_ = -std::numeric_limits<double>::infinity();
};

// Searches look at everything else.
bool IsRule(const PolicySpec& spec) {
  return spec.decided ||
         (spec.declaration->make && !spec.declaration->clairvoyant && spec.declaration->searched);
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
    if (IsRule(spec)) tries_.AsAsked(spec);
  }
  for (const PolicyDeclaration& declaration : Policies()) {
    for (PolicySpec& spec : Defaults(declaration)) {
      if (!IsRule(spec)) continue;
      if (!declaration.takes_granularity) tries_.AsAsked(spec);
      for (const Granularity granularity : kGranularities) {
        if (!declaration.takes_granularity) continue;
        if (tries_.requests() > kMostRequests && granularity != Granularity::kModel) continue;
        spec.granularity = granularity;
        tries_.Rule(spec, tries_.At(granularity));
      }
    }
  }
}

void BestSearch::TryCounts(const ProblemPtr& problem) {
  if (auto schedule = ScheduleByCounts(*problem, random_)) tries_.Schedule(problem, std::move(*schedule));
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
    const ProblemPtr& base = tries_.At(granularity);
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
        tries_.Rule(spec, problem, Makeup::kRuleWithNumbers);
      }
      if (granularity == Granularity::kModel) TryCounts(problem);
    }
  }
}

void BestSearch::Improve(const Candidate& start, std::int64_t evaluations) {
  const Problem& problem = *start.problem;
  const auto decided = [&](const std::vector<Decision>& tasks) {
    Decisions decisions = start.decisions;
    decisions.rule = nullptr;
    decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(tasks, problem));
    return decisions;
  };
  const LocalSearch::Evaluate evaluate = [&](const std::vector<Decision>& tasks) -> std::optional<Evaluated> {
    try {
      ScheduledPolicy policy(problem, decided(tasks), tries_.certain());
      return EvaluatedBy(problem, RunVirtual(problem, policy));
    } catch (const InputError&) {
      return std::nullopt;  // an order in which tasks wait for each other
    }
  };
  LeastCost least(problem, tries_.certain());
  LocalSearch search(problem, evaluate, random_, &least, &threads_);
  tries_.Count(search.Run(start.taken, evaluations, good_enough_));
  tries_.Note(search.near_misses());
  if (search.best().empty() || !(search.best_cost() < tries_.front().cost)) return;
  tries_.Keep({start.problem, decided(search.best()), search.best(), search.best_cost()});
}

// No schedule is better than this.
double BestSearch::GoodEnough() {
  std::vector<const Problem*> problems;
  for (const Granularity granularity : kGranularities) {
    if (tries_.At(granularity)) problems.push_back(tries_.At(granularity).get());
  }
  return LeastObjective(*scenario_, problems);
}

// Half of them for the best one.
void BestSearch::ImproveStarts(std::int64_t evaluations) {
  const std::int64_t until = std::max<std::int64_t>(tries_.left() - evaluations, 0);
  const std::vector<Candidate> starts = tries_.best();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t left = tries_.left() - until;
    const std::int64_t share = i + 1 == starts.size() ? left : left / 2;
    if (IsGoodEnough()) return;
    if (!starts[i].taken.empty() && share > 0) Improve(starts[i], share);
  }
}

// A rule with numbers of its own, ever closer to the best that were found.
void BestSearch::TryTuned(const PolicyDeclaration& declaration, std::int64_t evaluations) {
  const ProblemPtr& problem = tries_.At(tries_.front().problem->granularity());
  if (!problem) return;
  const std::int64_t until = tries_.left() - std::min(evaluations, kMostTuned);
  std::vector<double> best;
  ScheduleCost least = tries_.front().cost;
  for (std::int64_t round = 0; tries_.left() > until && !IsGoodEnough(least); ++round) {
    const std::int64_t before = tries_.left();
    std::vector<double> tried = best;
    const std::string text = declaration.tuned(*scenario_, random_, round, tried);
    PolicySpec spec = ReadPolicy(JsonDocument::Parse(text, scenario_->file).root(), *scenario_);
    spec.granularity = problem->granularity();
    tries_.Rule(spec, problem, Makeup::kRuleWithNumbers);
    if (tries_.left() == before) return;  // it cannot be run
    if (!(tries_.front().cost < least)) continue;
    least = tries_.front().cost;
    best = tried;
  }
}

void BestSearch::TryExact(const ProblemPtr& problem) {
  if (auto schedule = ExactSchedule(*problem)) tries_.Schedule(problem, std::move(*schedule));
}

// The schedule of `like` on other cuts.
void BestSearch::TryTasks(const std::shared_ptr<const CutPlan>& cuts, const Candidate& like,
                          const std::function<std::vector<Decision>(const Problem& cut)>& tasks) {
  try {
    const Problem cut(*scenario_, like.problem->granularity(), cuts);
    const auto held = cut.Holding(like.decisions.residents);
    if (!held) return;
    const auto problem = std::make_shared<const Problem>(cut.With(*held));
    tries_.Schedule(problem, ScheduleOf(tasks(*problem), *problem));
  } catch (const InputError&) {
    // It cannot be cut so.
  }
}

// Neighbours that always run on one unit as one task: they are dispatched once and may run fused.
void BestSearch::TryMerged() {
  const std::vector<Candidate> starts = tries_.best();
  for (const Candidate& start : starts) {
    if (tries_.left() <= 0 || start.taken.empty()) continue;
    const auto cuts = MergedCuts(*start.problem, start.taken);
    if (!cuts) continue;
    TryTasks(cuts, start,
             [&](const Problem& merged) { return MergedTasks(*start.problem, merged, start.taken); });
  }
}

// Reading through a mapping instead of copying: everything, then edge by edge.
void BestSearch::TryMappings() {
  if (scenario_->platform->memories.size() < 2 || tries_.front().taken.empty()) return;
  const auto with = [](const Candidate& of, const std::vector<EdgeMode>& edges) {
    auto cuts = std::make_shared<CutPlan>();
    if (of.problem->cut_plan()) *cuts = *of.problem->cut_plan();
    cuts->edges.insert(cuts->edges.end(), edges.begin(), edges.end());
    return cuts;
  };
  const auto same = [](const Candidate& of) { return [&of](const Problem&) { return of.taken; }; };
  std::vector<EdgeMode> edges = MappableEdges(*tries_.front().problem, tries_.front().taken);
  if (edges.empty()) return;
  const Candidate start = tries_.front();
  TryTasks(with(start, edges), start, same(start));
  if (edges.size() > kMostEdges) edges.resize(kMostEdges);
  for (const EdgeMode& edge : edges) {
    if (tries_.left() <= 0) return;
    const Candidate best = tries_.front();
    if (best.problem->cut_plan() && std::count(best.problem->cut_plan()->edges.begin(),
                                               best.problem->cut_plan()->edges.end(), edge) > 0) {
      continue;
    }
    TryTasks(with(best, {edge}), best, same(best));
  }
}

// From the best one: cuts moved by a few layers, ratios by a few channels or rows, tasks cut in two.
void BestSearch::TryCutMoves(std::int64_t evaluations) {
  if (!MayBeCut(*scenario_)) return;
  StreamRandom random("cuts", scenario_->seed);
  const std::int64_t until = tries_.left() - std::min(evaluations, kMostCutMoves);
  for (std::int64_t move = 0; move < kMostCutMoves && tries_.left() > until && !IsGoodEnough(); ++move) {
    const Candidate start = tries_.front();
    if (start.taken.empty() || EndIsAsked()) return;
    const auto moved = MoveCut(*start.problem, random);
    if (!moved) continue;
    TryTasks(moved->cuts, start,
             [&](const Problem& cut) { return MovedTasks(*start.problem, cut, *moved, start.taken); });
  }
}

// Whatever rules reach first, on every cut and choice of residents; then, while evaluations are left, rules
// with numbers of their own and local search from the best schedules, and between them neighbours merged into
// one task, copies replaced by mappings, and cuts moved.
void BestSearch::TryAll() {
  TryRules();
  TryResidents();
  if (tries_.empty()) {
    if (tries_.why_not()) throw *tries_.why_not();
    throw InputError(scenario_->file + ": no policy can run the scenario");
  }
  for (const Granularity granularity : kGranularities) {
    if (tries_.At(granularity)) TryExact(tries_.At(granularity));
  }
  if (tries_.left() <= 0) return;
  const bool rules_alone = HasCritical(*scenario_);
  good_enough_ = GoodEnough();
  for (const PolicyDeclaration& declaration : Policies()) {
    if (declaration.tuned) TryTuned(declaration, tries_.left() / 4);
  }
  if (rules_alone) return;
  TryMerged();
  ImproveStarts(tries_.left() - tries_.left() / 4);
  TryMerged();
  TryMappings();
  TryCutMoves(tries_.left() / 2);
  ImproveStarts(tries_.left());
}

SearchStory BestSearch::Story(const Finals& finals) const {
  SearchStory story;
  story.tried = tries_.tried();
  if (IsGoodEnough()) {
    story.stopped = "nothing can be better";
  } else if (EndIsAsked()) {
    story.stopped = "it was asked to end";
  } else if (tries_.left() > 0 && HasCritical(*scenario_)) {
    story.stopped = "streams are critical, so that rules alone are tried";
  } else if (tries_.left() > 0 && tries_.front().taken.empty()) {
    story.stopped = "the schedules are too long to be improved task by task";
  } else {
    story.stopped = "as many were tried as it may";
  }
  story.draws = finals.draws;
  story.simplest = finals.simplest;
  if (tries_.near_misses().kept()) return story;
  for (const auto& [position, limit] : tries_.near_misses().all()) {
    story.relaxed.push_back({limit.term.text, *limit.value});
  }
  return story;
}

std::vector<Decisions> BestSearch::Run() {
  CheckPowerOfAll(*scenario_);
  TryAll();
  const Finals finals = JudgeFinalists(tries_, threads_);
  const auto story = std::make_shared<SearchStory>(Story(finals));
  std::vector<Decisions> found;
  for (const Candidate& candidate : finals.order) {
    found.push_back(candidate.decisions);
    found.back().search = story;
  }
  return found;
}

}  // namespace

std::int64_t DefaultEvaluations(const Scenario& scenario) {
  constexpr std::int64_t kMost = 5000, kLeast = 100, kTasks = 2'000'000;
  const std::int64_t requests = Tries(scenario, 0).requests();
  return std::clamp(kTasks / std::max<std::int64_t>(requests, 1), kLeast, kMost);
}

std::vector<Decisions> FindBest(const Scenario& scenario, std::int64_t evaluations, std::size_t cores) {
  return BestSearch(scenario, evaluations, cores).Run();
}

}  // namespace tandem
