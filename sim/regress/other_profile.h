// A new profile against the old one: does the winner still win, and what does it cost to keep the old plan?
#pragma once

#include <optional>
#include <string>

#include "sim/regress/run_again.h"

namespace tandem {

struct WinnerThen {
  std::string scenario;
  Objective objective = Objective::kMakespan;
  std::string before, after;         // labels that win with the old and the new profile
  bool still_wins = false;           // the first of `before` is among `after`
  bool not_told = false;             // it is not, but draws cannot tell it from the best one
  std::optional<double> best, kept;  // the objective with the new profile: of the winner, of the old plan
  std::optional<double> cost;        // how far the old plan is behind, as a fraction
};

// Is the profile of the scenario's platform?
bool IsOfPlatform(const Profile& profile, const Scenario& scenario);

// The scenario with this profile in the place of its own. Throws InputError.
Scenario WithOtherProfile(const Scenario& scenario, const Profile& profile);

// `runs`: what `other`, the scenario with the new profile, came out as under `policies`.
WinnerThen CompareOldWinner(const Scenario& scenario, const Scenario& other,
                            const std::vector<PolicySpec>& policies, const ScenarioRuns& runs, Engine engine,
                            LongRun& watch);

std::string WinnerText(const WinnerThen& winner);  // a sentence

}  // namespace tandem
