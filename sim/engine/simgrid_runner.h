// Room sim/engine: SimGrid, the engine of record, in a child process of its own. The only room that knows
// SimGrid.
//
// Everything of SimGrid that the rest of the program may see: the engine of record.
#pragma once

#include <string>
#include <vector>

#include "policies/engine/dispatcher.h"
#include "policies/engine/policy.h"
#include "policies/problem/problem.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

// "3.32" or "3.32.1": the version that it was built with, which is the one that runs: it stands in the name
// by which SimGrid's library is looked for. Asking that itself would load it.
std::string SimGridVersion();

// One run in a child process (RunInChild), since SimGrid simulates once per process. `policy` decides there:
// here it stays as it is.
Outcome RunOnSimGrid(const Problem& problem, Policy& policy, const RunOptions& options = {});
// The same where SimGrid's own physics say how fast things are (fluid_runner.h), not tandem's rules.
Outcome RunFluidOnSimGrid(const Problem& problem, Policy& policy, const RunOptions& options = {});

struct SimGridOptions {
  // SimGrid's own host energy plugin counts along what every unit draws up to the end of the run. Every unit
  // then needs its watts and has one slot. The fluid engine has it wherever all units have watts.
  bool energy_plugin = false;
  bool fluid = false;
};

// The same in this process, which it spoils for another: at most once in its life.
Outcome RunOnSimGridHere(const Problem& problem, Policy& policy, const RunOptions& options,
                         const SimGridOptions& simgrid = {});

}  // namespace tandem
