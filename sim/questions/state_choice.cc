#include "sim/questions/state_choice.h"

#include <algorithm>
#include <map>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/report/objective.h"
#include "sim/questions/certain_breach.h"
#include "sim/questions/judged_apart.h"
#include "sim/study/all_policies.h"

namespace tandem {
namespace {

constexpr std::size_t kMostChoices = 256;  // that are all looked at

using States = std::vector<std::size_t>;  // per unit the position among its states

// The units of a scenario whose states may be chosen.
class StatesOf {
 public:
  StatesOf(const Scenario& scenario, const std::vector<std::string>& wanted) : scenario_(&scenario) {
    for (std::size_t u = 0; u < scenario.units.size(); ++u) AddStates(UnitId(u), wanted);
    Check(wanted);
  }

  const std::vector<UnitId>& units() const { return units_; }
  std::size_t CountOf(std::size_t unit) const { return states_[unit].size(); }
  const Variant& StateOf(std::size_t unit, const States& states) const { return states_[unit][states[unit]]; }
  const States& own() const { return own_; }
  std::size_t Choices() const {  // no more than a few beyond kMostChoices
    std::size_t choices = 1;
    for (const auto& of_unit : states_) choices = std::min(choices * of_unit.size(), 2 * kMostChoices);
    return choices;
  }
  // The one after it; false where that was the last.
  bool Next(States& states) const {
    for (std::size_t u = states.size(); u-- > 0;) {
      if (++states[u] < states_[u].size()) return true;
      states[u] = 0;
    }
    return false;
  }

 private:
  void AddStates(UnitId unit, const std::vector<std::string>& wanted) {
    const std::string& name = scenario_->platform->unit(unit).name;
    const auto& now = scenario_->units[unit.index()].variant;
    const bool asked = wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
    if (!now || !asked) return;
    std::vector<Variant> states = scenario_->costs->Variants(unit);
    std::erase_if(states, [&](const Variant& state) { return state.precision != now->precision; });
    if (states.size() < 2) return;
    units_.push_back(unit);
    own_.push_back(static_cast<std::size_t>(std::ranges::find(states, *now) - states.begin()));
    states_.push_back(std::move(states));
  }

  void Check(const std::vector<std::string>& wanted) const {
    const std::vector<std::string> known = scenario_->platform->UnitNames();
    for (const std::string& name : wanted) {
      const UnitId unit = scenario_->platform->FindUnit(name);
      if (!unit.valid())
        throw InputError("--unit: no unit is called " + Quoted(name) + Suggestion(name, known));
      if (std::ranges::find(units_, unit) != units_.end()) continue;
      throw InputError("--unit: of " + Quoted(name) + " the profiles know one state alone");
    }
    if (!units_.empty()) return;
    throw InputError(scenario_->file +
                     ": of no unit do the profiles know two states: entries with a \"variant\" each, such as "
                     "\"900MHz\" and \"1300MHz\", of one precision");
  }

  const Scenario* scenario_;
  std::vector<UnitId> units_;
  std::vector<std::vector<Variant>> states_;
  States own_;
};

class StateSearch {
 public:
  StateSearch(const Scenario& scenario, const StateOptions& options, LongRun& watch)
      : scenario_(scenario), options_(options), watch_(watch), states_(scenario, options.units) {}

  std::optional<StateChoice> Run();

 private:
  StateRow& RowOf(const States& states);
  void Look(const States& states, StateRow& row);
  void Simulate(StateRow& row);
  void SetIn(const StateRow& row);
  bool CannotBeBest(const StateRow& row) const;
  void TryAll();
  void TryUnitByUnit();
  void Judge(StateChoice& choice) const;
  double Cost(double objective) const { return HigherIsBetter(scenario_.objective) ? -objective : objective; }

  Scenario scenario_;
  const StateOptions& options_;
  LongRun& watch_;
  StatesOf states_;
  std::map<States, StateRow> rows_;
  const StateRow* best_ = nullptr;
};

void StateSearch::SetIn(const StateRow& row) {
  for (std::size_t u = 0; u < row.states.size(); ++u)
    SetVariant(states_.units()[u], row.states[u], scenario_);
}

// What can be said of it before anything is simulated.
void StateSearch::Look(const States& states, StateRow& row) {
  for (std::size_t u = 0; u < states.size(); ++u) {
    row.states.push_back(states_.StateOf(u, states));
    row.names.push_back(scenario_.costs->TextOf(states_.units()[u], row.states.back()));
  }
  row.as_asked = states == states_.own();
  SetIn(row);
  try {
    const Bound bound = BoundFor(scenario_, ChoosePolicies(scenario_, options_.policies));
    row.bound = ObjectiveBound(scenario_, bound);
    row.breaks_limits = BreaksALimitForCertain(scenario_, bound);
  } catch (const InputError& error) {
    row.why = error.what();
  }
}

StateRow& StateSearch::RowOf(const States& states) {
  const auto [found, is_new] = rows_.try_emplace(states);
  if (is_new) Look(states, found->second);
  return found->second;
}

// Not even in the best of the draws that make up the interval of the best one.
bool StateSearch::CannotBeBest(const StateRow& row) const {
  if (!best_ || !row.bound || !scenario_.then.empty() || ExcessOf(*best_->report) > 0) return false;
  double worst = Cost(*ObjectiveValue(*best_->report, scenario_.objective));
  if (best_->report->draws) {
    if (const auto interval = best_->report->draws->ObjectiveInterval()) {
      worst = std::max({worst, Cost(interval->low), Cost(interval->high)});
    }
  }
  return Cost(*row.bound) > worst;
}

void StateSearch::Simulate(StateRow& row) {
  if (row.report || !row.why.empty()) return;
  row.cannot_be_best = CannotBeBest(row);
  if (row.cannot_be_best) return;
  SetIn(row);
  SimulateOptions how;
  how.engine = options_.engine;
  how.interval = options_.interval;
  try {
    std::vector<Report> reports =
        RunAll(scenario_, ChoosePolicies(scenario_, options_.policies), how, watch_);
    if (watch_.interrupted()) return;
    const Ranking ranking = RankReports(reports, scenario_.objective);
    if (!ranking.taken) throw InputError(WhyNobodyWins(reports, scenario_.objective));
    row.report = std::move(reports[*ranking.taken]);
  } catch (const InputError& error) {
    row.why = error.what();
    return;
  }
  if (!best_ || RankReports({*best_->report, *row.report}, scenario_.objective).winners.front() == 1) {
    best_ = &row;
  }
}

// The scenario's own first, then what may be best: the rest can be left out the sooner.
void StateSearch::TryAll() {
  States states(states_.units().size(), 0);
  do {
    RowOf(states);
  } while (watch_.Progress("bounds", static_cast<std::int64_t>(rows_.size()),
                           static_cast<std::int64_t>(states_.Choices())) &&
           states_.Next(states));
  std::vector<StateRow*> order;
  for (auto& [of, row] : rows_) order.push_back(&row);
  std::ranges::stable_sort(order, {}, [&](const StateRow* row) {
    return std::pair(!row->as_asked, row->bound ? Cost(*row->bound) : 0);
  });
  for (StateRow* row : order) {
    if (watch_.interrupted()) return;
    Simulate(*row);
  }
}

// From the scenario's own, one unit after the other to the state that is best for it, until none gets better.
void StateSearch::TryUnitByUnit() {
  States at = states_.own();
  Simulate(RowOf(at));
  for (bool better = true; better;) {
    better = false;
    for (std::size_t u = 0; u < at.size(); ++u) {
      States tried = at;
      for (tried[u] = 0; tried[u] < states_.CountOf(u); ++tried[u]) {
        if (watch_.interrupted()) return;
        const StateRow* const before = best_;
        StateRow& row = RowOf(tried);
        Simulate(row);
        if (best_ == before || best_ != &row) continue;
        at[u] = tried[u];
        better = true;
      }
    }
  }
}

// Where the best one keeps the limits, what breaks them can never be better. Draws may say otherwise.
bool CannotCount(const StateRow& row, const StateRow& best) {
  const auto keeps = [](const StateRow& of) { return of.report && ExcessOf(*of.report) == 0; };
  return row.breaks_limits && keeps(best) && !keeps(row);
}

void StateSearch::Judge(StateChoice& choice) const {
  std::vector<Report> reports;
  std::vector<StateRow*> rows;
  for (StateRow& row : choice.rows) {
    if (!row.report) continue;
    reports.push_back(*row.report);
    reports.back().label.clear();
    for (std::size_t u = 0; u < row.names.size(); ++u) {
      reports.back().label += (u == 0 ? "" : " ") + choice.unit_names[u] + ":" + row.names[u];
    }
    rows.push_back(&row);
  }
  ApartVerdict judged = JudgeApart(std::move(reports), choice.objective, "state");
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r]->probability = judged.probability[r];
  for (const std::size_t row : judged.best) rows[row]->best = true;
  choice.verdict = std::move(judged.text);
  const StateRow* const best = choice.Best();
  if (!best || !choice.all_tried) return;
  for (const StateRow& row : choice.rows) {
    if (!row.why.empty()) continue;
    if (CannotCount(row, *best)) {
      choice.bound_of_some = true;
      continue;
    }
    if (!row.bound) return choice.bound.reset();
    if (!choice.bound || Cost(*row.bound) < Cost(*choice.bound)) choice.bound = row.bound;
  }
  const auto value = ObjectiveValue(*best->report, choice.objective);
  if (!choice.bound || !value) return;
  const double less = HigherIsBetter(choice.objective) ? *value : *choice.bound;
  if (less > 0) choice.gap = (HigherIsBetter(choice.objective) ? *choice.bound : *value) / less - 1;
}

std::optional<StateChoice> StateSearch::Run() {
  CheckSomeoneCanWin(scenario_, ChoosePolicies(scenario_, options_.policies), !options_.policies.empty());
  StateChoice choice;
  choice.all_tried = states_.Choices() <= kMostChoices;
  choice.all_tried ? TryAll() : TryUnitByUnit();
  if (watch_.interrupted()) return std::nullopt;
  if (!best_) {
    for (const auto& [of, row] : rows_) throw InputError(row.why);
  }
  choice.scenario = scenario_.name;
  choice.objective = scenario_.objective;
  choice.what_if = scenario_.what_if;
  choice.units = states_.units();
  for (const UnitId unit : choice.units) choice.unit_names.push_back(scenario_.platform->unit(unit).name);
  for (auto& [of, row] : rows_) choice.rows.push_back(std::move(row));
  Judge(choice);
  return choice;
}

}  // namespace

const StateRow* StateChoice::Best() const {
  const auto own = [](const StateRow& row) { return row.best && row.as_asked; };
  auto best = std::ranges::find_if(rows, own);
  if (best == rows.end()) best = std::ranges::find_if(rows, &StateRow::best);
  return best == rows.end() ? nullptr : &*best;
}

std::optional<StateChoice> ChooseStates(const Scenario& scenario, const StateOptions& options,
                                        LongRun& watch) {
  return StateSearch(scenario, options, watch).Run();
}

void SetBestStates(const StateChoice& choice, Scenario& scenario) {
  const StateRow* const best = choice.Best();
  if (!best) return;
  for (std::size_t u = 0; u < choice.units.size(); ++u) {
    SetVariant(choice.units[u], best->states[u], scenario);
  }
}

}  // namespace tandem
