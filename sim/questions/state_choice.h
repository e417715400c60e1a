// In which states of its units, each a variant that the profiles know, is a board at its best: race to idle,
// or slow and steady?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/report/report.h"
#include "sim/study/one_run.h"

namespace tandem {

struct StateOptions {
  std::vector<std::string> units;  // those alone change their states; none: all that have several
  std::vector<std::string> policies;
  Engine engine = Engine::kVirtual;
  double interval = kUsualInterval;
};

// One choice of states.
struct StateRow {
  std::vector<Variant> states;  // of StateChoice::units
  std::vector<std::string> names;
  bool as_asked = false;         // the scenario's own
  std::string why;               // the scenario cannot be run in them; empty: it can
  std::optional<double> bound;   // of the objective: no policy is better in them
  bool breaks_limits = false;    // whatever a policy decides, by bounds
  bool cannot_be_best = false;   // by its bound, and so it was not simulated
  std::optional<Report> report;  // the winner's among the policies
  bool best = false;
  std::optional<double> probability;  // that it is best of those with a report: in such a share of the draws
};

struct StateChoice {
  std::string scenario;
  Objective objective = Objective::kMakespan;
  std::vector<WhatIf> what_if;
  std::vector<UnitId> units;  // whose states were to be chosen
  std::vector<std::string> unit_names;
  std::vector<StateRow> rows;   // in order of states
  bool all_tried = true;        // else unit by unit, until no other state of any one was better
  std::optional<double> bound;  // in no states is any policy better
  bool bound_of_some = false;   // of states that the limits leave: others break them whatever a policy does
  std::optional<double> gap;    // the best to that
  std::string verdict;          // how sure the best one is, or why that is not told
  // Of equals the scenario's own, else the first; null: there is none.
  const StateRow* Best() const;
};

// Nothing where `watch` was interrupted. States are of the precision that the unit has in the scenario:
// another one answers otherwise. Throws InputError where no unit has two, or a policy runs in none of them.
std::optional<StateChoice> ChooseStates(const Scenario& scenario, const StateOptions& options,
                                        LongRun& watch);

// The scenario's units are in the best states from here on; as they were where there is no best choice.
void SetBestStates(const StateChoice& choice, Scenario& scenario);

std::string StateChoiceText(const StateChoice& choice, std::size_t width);
// For who plans in them: which they are, what they gain over the scenario's own, and what may be left.
std::string BestStatesText(const StateChoice& choice, std::size_t width);
std::string StateChoiceJson(const StateChoice& choice);  // state_choice/1

}  // namespace tandem
