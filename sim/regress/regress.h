// Baselines held against what tandem simulates today.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/regress/comparison.h"
#include "sim/regress/other_profile.h"

namespace tandem {

struct RegressOptions {
  Bars bars;
  bool lenient = false;                  // a figure that is missing is a note
  bool strict = false;                   // as in Regression
  std::optional<Profile> other_profile;  // instead of the scenarios' own, where it is of their platform
  std::function<void()> when_read;       // all inputs are read and nothing is simulated yet
};

struct RegressResult {
  Regression regression;
  std::vector<Baseline> updated;        // the baselines as they would be now, tolerances kept
  std::vector<WinnerThen> old_winners;  // with another profile
};

// A baseline's file by its path or its shipped name. Throws InputError.
Baseline FindBaseline(const std::string& argument);

// Throws InputError where a scenario or policy is not there any more.
RegressResult HoldAgainst(const std::vector<Baseline>& baselines, const RegressOptions& options,
                          LongRun& watch);

}  // namespace tandem
