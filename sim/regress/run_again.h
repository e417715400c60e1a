// Room sim/regress: simulates again what a baseline keeps, says what became of its figures and why, and tells
// it to people and to other tools, a file a form.
//
// The runs behind a baseline, when it is made and when it is held against.
#pragma once

#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/baseline/baseline.h"
#include "sim/study/one_run.h"

namespace tandem {

struct PolicyRun {
  Report report;  // of a policy that cannot run the scenario: it says why, and has no figures
  std::vector<UnitWork> work;
};

struct ScenarioRuns {
  std::vector<std::size_t> winners;  // by the rule of `tandem simulate`; several where they are tied
  std::string winner;  // their labels, "eft, heft"; empty: none can be named, or none is asked for
  std::vector<std::string> not_told;  // labels of the best one and of those whom draws cannot tell from it
  std::vector<PolicyRun> policies;

  const PolicyRun* Find(std::string_view label) const;
  bool CannotTellFromBest(std::string_view label) const;
};

// What costs more than the runs.
struct WantedOfRuns {
  bool bound = false;   // the gap to the bound of all of the scenario's policies, as `tandem simulate` has it
  bool winner = false;  // draws of all, by which it is named
};

// Fewer policies where `watch` was interrupted. Throws InputError where none can run.
ScenarioRuns RunPolicies(const Scenario& scenario, const std::vector<PolicySpec>& policies, Engine engine,
                         const WantedOfRuns& wanted, LongRun& watch);

// The case of a baseline that keeps these figures of the run, exactly.
BaselineCase CaseOf(const PolicyRun& run, const std::string& winner, const std::vector<FigureName>& figures);

// The mean latency per stream.
std::map<std::string, Nanos> StreamLatencies(const Report& report);

}  // namespace tandem
