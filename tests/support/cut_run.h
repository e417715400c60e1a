// Runs of policies that cut models themselves, and of cuts that a test chooses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policies/cutting/self_cutting.h"
#include "policies/engine/virtual_runner.h"

namespace tandem {

struct CutRun {
  std::shared_ptr<const Problem> problem;
  Outcome outcome;
  std::vector<std::string>
      tasks;                // of the first request of each stream, by start: "u0: l0 l1 [channels 0-3]"
  std::vector<Nanos> busy;  // per unit
  Nanos LargestBusy() const;
};

// `policy` as a scenario writes it.
CutRun RunCut(const Scenario& scenario, const std::string& policy);
// All models cut so and bound so: one cut per (model, batch), in order.
CutRun RunPieces(const Scenario& scenario, const std::vector<AssignedPieces>& cuts);

}  // namespace tandem
