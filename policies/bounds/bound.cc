#include "policies/bounds/bound.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "policies/bounds/alike_units.h"
#include "policies/bounds/certain_work.h"
#include "policies/bounds/latency_bounds.h"
#include "policies/bounds/linear_program.h"
#include "policies/bounds/resident_choices.h"
#include "policies/engine/rates.h"
#include "profiles/base/figures.h"

#ifdef TANDEM_HAVE_COIN
#include <coin/Clp_C_Interface.h>
#endif

namespace tandem {
namespace {

using Classes = std::vector<WorkClass>;

// Pairs of a segment and a unit that all linear programs of one bound look at, about: well under a second.
constexpr std::size_t kMostWork = 100'000;
// Of all programs of one bound, as EffortOf.
constexpr std::size_t kMostEffortInAll = 10'000'000;

Classes Merged(const std::map<std::vector<Nanos>, std::int64_t>& rows) {
  Classes classes;
  for (const auto& [time, count] : rows) classes.push_back({count, time});
  return classes;
}

class Bounds {
 public:
  Bounds(const Problem& problem, OpenEdges edges)
      : problem_(problem), least_(problem, edges), work_(FindCertainWork(problem, least_)) {
    for (const Unit& unit : problem.platform().units) slots_.push_back(unit.AtFullSpeed());
  }

  Bound Find() const;

 private:
  std::optional<Classes> ClassesOf(const CertainWork::Tail& tail, const ResidentChoice& choice) const;
  // No schedule ends before that date if the units hold `choice`; nothing where it cannot do all the work.
  std::optional<Nanos> End(const std::vector<CertainWork::Tail>& tails, const ResidentChoice& choice) const;
  std::vector<CertainWork::Tail> BestTails(std::size_t most) const;
  void AddLatencies(Bound& bound) const;
  void RaiseByPrices(const std::vector<std::int64_t>& prices, Bound& bound) const;
  std::optional<double> Energy(Nanos makespan) const;
  std::int64_t ChargedBeside(UnitId unit) const;

  const Problem& problem_;
  LeastTimes least_;
  CertainWork work_;
  std::vector<std::int64_t> slots_;
};

std::optional<Classes> Bounds::ClassesOf(const CertainWork::Tail& tail, const ResidentChoice& choice) const {
  std::map<std::vector<Nanos>, std::int64_t> rows;
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    const SegmentId segment(s);
    const std::int64_t count = tail.of_kind[problem_.segment(segment).cut.index()];
    if (count == 0) continue;
    std::vector<Nanos> time;
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const bool may = choice.Allows(problem_.model_of(segment), UnitId(u));
      time.push_back(may ? least_.Occupation(segment, UnitId(u)) : Problem::kCannot);
    }
    if (*std::max_element(time.begin(), time.end()) < Nanos{0}) return std::nullopt;
    rows[std::move(time)] += count;
  }
  return Merged(rows);
}

std::optional<Nanos> Bounds::End(const std::vector<CertainWork::Tail>& tails,
                                 const ResidentChoice& choice) const {
  Nanos end{0};
  for (const CertainWork::Tail& tail : tails) {
    const auto classes = ClassesOf(tail, choice);
    if (!classes) return std::nullopt;
    end = std::max(end, tail.from + DivisionBound(*classes, slots_));
  }
  return end;
}

// All work first, then those that bound most by the weights of all work while nothing is said about
// residents.
std::vector<CertainWork::Tail> Bounds::BestTails(std::size_t most) const {
  const auto all = ClassesOf(work_.tails[0], ResidentChoice());
  std::vector<CertainWork::Tail> best{work_.tails[0]};
  if (!all) return best;
  const AlikeUnits merged = MergeAlike(*all, slots_);
  most = std::min(most, kMostEffortInAll / EffortOf(merged.classes, merged.slots.size()));
  const std::vector<std::int64_t> weights = Divide(*all, slots_).weights;
  std::vector<std::pair<Nanos, std::size_t>> order;
  for (std::size_t i = 1; i < work_.tails.size(); ++i) {
    const auto classes = ClassesOf(work_.tails[i], ResidentChoice());
    order.emplace_back(work_.tails[i].from + ProvedDivision(*classes, slots_, weights), i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < order.size() && best.size() < most; ++i) {
    best.push_back(work_.tails[order[i].second]);
  }
  return best;
}

Bound Bounds::Find() const {
  Bound bound;
  for (std::size_t s = 0; s < problem_.scenario().streams.size(); ++s) {
    bound.of_requests.push_back(
        AtLeastShare(least_.Chain(problem_.cut_of(StreamId(s))), problem_.scenario()));
  }
  if (work_.requests == 0) {
    bound.why_null = "no request is certain to be completed";
    return bound;
  }
  if (work_.all) bound.inferences = work_.inferences;
  AddLatencies(bound);
  const std::vector<ResidentChoice> choices = ResidentChoices(problem_, least_);
  const std::size_t size = problem_.segments().size() * problem_.units();
  const auto tails = BestTails(std::max<std::size_t>(kMostWork / size / choices.size(), 1));
  std::optional<Nanos> end;
  for (const ResidentChoice& choice : choices) {
    const auto of_choice = End(tails, choice);
    if (of_choice) end = std::min(end.value_or(*of_choice), *of_choice);
  }
  if (!end) {
    bound.why_null = "no choice of resident models lets all requests run";
    return bound;
  }
  bound.makespan = std::max(*end, work_.last_completion) - work_.first_release;
  bound.energy = Energy(*bound.makespan);
  return bound;
}

// By prices of the units' time: those of all work's program, and all alike.
void Bounds::AddLatencies(Bound& bound) const {
  if (!work_.mean_chain) return;
  if (const auto all = ClassesOf(work_.tails[0], ResidentChoice())) {
    RaiseByPrices(Divide(*all, slots_).weights, bound);
  }
  RaiseByPrices(std::vector<std::int64_t>(slots_.size(), 1), bound);
}

void Bounds::RaiseByPrices(const std::vector<std::int64_t>& prices, Bound& bound) const {
  std::vector<KindLoad> kinds;
  for (std::size_t c = 0; c < problem_.cuts().size(); ++c) kinds.push_back({least_.Chain(CutId(c)), 0});
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    std::optional<double> least;
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const Nanos time = least_.Occupation(SegmentId(s), UnitId(u));
      if (time < Nanos{0}) continue;
      const double weight = static_cast<double>(time.count()) * static_cast<double>(prices[u]);
      least = std::min(least.value_or(weight), weight);
    }
    kinds[problem_.segment(SegmentId(s)).cut.index()].weight += least.value_or(0);
  }
  double capacity = 0;
  for (std::size_t u = 0; u < prices.size(); ++u) {
    capacity += static_cast<double>(prices[u]) * static_cast<double>(slots_[u]);
  }
  RaiseLatencies(work_, kinds, capacity, LeastShareOfTimes(problem_.scenario()), bound);
}

// Of so many slots a task may be charged for one, though it had all of the unit: where those whose turn it is
// not, or who are held up, count among those at work, and some of them have joules of their own. Elsewhere
// what one is charged less another is charged more.
std::int64_t Bounds::ChargedBeside(UnitId unit) const {
  const Unit& of = problem_.platform().unit(unit);
  if (!of.time_shared || !(of.preempts || of.slice)) return 1;
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    if (problem_.Joules(SegmentId(s), unit)) return of.slots;
  }
  return 1;
}

// What all units draw in the least makespan, and above that the least of each task.
std::optional<double> Bounds::Energy(Nanos makespan) const {
  const auto idle = IdleJoules(problem_.platform(), makespan);
  if (!idle) return std::nullopt;
  double joules = *idle;
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    const SegmentId segment(s);
    std::optional<double> least;
    for (std::size_t u = 0; u < problem_.units(); ++u) {
      const Nanos time = least_.Occupation(segment, UnitId(u));
      if (time < Nanos{0}) continue;
      const double of_time = problem_.platform().units[u].Draws().AboveIdle() * InSeconds(time) /
                             static_cast<double>(ChargedBeside(UnitId(u)));
      const double task = problem_.Joules(segment, UnitId(u)).value_or(of_time);
      least = std::min(least.value_or(task), task);
    }
    const std::int64_t count = work_.tails[0].of_kind[problem_.segment(segment).cut.index()];
    joules += static_cast<double>(count) * least.value_or(0);
  }
  return joules * kRoundedDown;
}

}  // namespace

std::optional<ProgramAnswer> SolveProgram([[maybe_unused]] const LinearProgram& program) {
#ifdef TANDEM_HAVE_COIN
  constexpr int kOptimal = 0;
  constexpr double kTolerance = 1e-9;
  constexpr std::size_t kMostColumns = 16'000;    // beyond them it takes time by the square
  constexpr std::size_t kMostEffort = 1'000'000;  // a quarter of a second
  if (program.objective.size() > kMostColumns) return std::nullopt;
  if (program.objective.size() * program.units > kMostEffort) return std::nullopt;
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> model(Clp_newModel(), Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  Clp_setPrimalTolerance(model.get(), kTolerance);
  Clp_setDualTolerance(model.get(), kTolerance);
  const std::vector<CoinBigIndex> start(program.start.begin(), program.start.end());
  Clp_loadProblem(model.get(), static_cast<int>(program.objective.size()),
                  static_cast<int>(program.row_lower.size()), start.data(), program.row.data(),
                  program.value.data(), nullptr, nullptr, program.objective.data(), program.row_lower.data(),
                  program.row_upper.data());
  Clp_dual(model.get(), 0);
  if (Clp_status(model.get()) != kOptimal) return std::nullopt;
  const double *columns = Clp_primalColumnSolution(model.get()), *duals = Clp_dualRowSolution(model.get());
  return ProgramAnswer{{columns, columns + program.objective.size()},
                       {duals, duals + program.row_lower.size()}};
#else
  return std::nullopt;
#endif
}

bool SolverIsBuiltIn() {
#ifdef TANDEM_HAVE_COIN
  return true;
#else
  return false;
#endif
}

std::optional<double> IdleJoules(const Platform& platform, Nanos time) {
  double joules = 0;
  for (const Unit& unit : platform.units) {
    const Watts draws = unit.Draws();
    if (!draws.idle || draws.AboveIdle() < 0) return std::nullopt;
    joules += *draws.idle * InSeconds(time);
  }
  return joules;
}

std::optional<double> ObjectiveBound(const Scenario& scenario, const Bound& bound) {
  const auto nanos = [](std::optional<Nanos> time) {
    return time ? std::optional(static_cast<double>(time->count())) : std::nullopt;
  };
  switch (scenario.objective) {
    case Objective::kMakespan:
      return nanos(bound.makespan);
    case Objective::kThroughput:
      if (!bound.inferences || !bound.makespan || *bound.makespan <= Nanos{0}) return std::nullopt;
      return static_cast<double>(*bound.inferences) / InSeconds(*bound.makespan);
    case Objective::kMeanLatency:
      return nanos(bound.mean_latency);
    case Objective::kP99Latency:
      return nanos(bound.p99_latency);
    case Objective::kMisses:
      return 0;
    case Objective::kEnergy:
      return bound.energy;
    case Objective::kSlowdown:
    case Objective::kBalancedGain:
      return std::nullopt;
  }
  return std::nullopt;
}

bool GoesFaster(const Scenario& scenario) {
  return LeastSlowdown(scenario) < 1 || LeastAtStart(scenario) < 1;
}

double LeastShareOfTimes(const Scenario& scenario) {
  if (!GoesFaster(scenario)) return 1;
  // A thousandth less, for what doubles leave out.
  return 0.999 * static_cast<double>(kFullRate) / TopRate(scenario) * LeastAtStart(scenario);
}

Nanos AtLeastShare(Nanos time, const Scenario& scenario) {
  const double share = LeastShareOfTimes(scenario);
  return share == 1 ? time : Nanos{static_cast<std::int64_t>(static_cast<double>(time.count()) * share)};
}

Bound AtTopSpeed(Bound bound, const Scenario& scenario) {
  if (!GoesFaster(scenario)) return bound;
  if (bound.makespan) bound.makespan = AtLeastShare(*bound.makespan, scenario);
  bound.energy.reset();  // what goes faster may take less
  return bound;
}

Bound LowerBound(const Problem& problem, OpenEdges edges) {
  if (FirstBatching(problem.scenario()) != nullptr)
    return {std::nullopt, std::nullopt, "what requests take depends on how many go together"};
  return AtTopSpeed(Bounds(problem, edges).Find(), problem.scenario());
}

}  // namespace tandem
