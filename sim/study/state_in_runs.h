// In which state a machine was while plans ran on it, against that of its profiles: by the yardsticks that
// the device reads around every run. A clock that neighbours hold down slows all work by about as much.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/exchange/run_answer.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// By unit how many times as long as in its profile its work took, 1 where that is the same. Units whose
// yardsticks say too little are not there.
using StateInRuns = std::map<std::string, double>;

StateInRuns StateOf(const std::vector<DeviceRun>& runs, const std::vector<Profile>& profiles);
// Would it change a prediction?
bool IsAnother(const StateInRuns& state);
// From here on the profiles say what those units' work takes in that state.
void PutInState(const StateInRuns& state, Scenario& scenario);

}  // namespace tandem
