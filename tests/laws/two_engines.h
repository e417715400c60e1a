// The same run by both exact engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policies/engine/policy.h"

namespace tandem {

// As a scenario has it: each policy, its granularities and what it takes, in turn.
std::string PolicyInTurn(std::uint64_t turn, const Scenario& scenario);

struct TwoRuns {
  std::string in_virtual_time, on_simgrid;  // all that they say, an error included
  std::size_t spans = 0;                    // of both
  std::optional<Nanos> makespan;            // in virtual time; nothing where the run ended in an error

  bool Agree() const { return in_virtual_time == on_simgrid; }
  std::string FirstDifference() const;
};

// `other` may be `one`: SimGrid's run leaves a policy as it is.
TwoRuns OnBoth(const Prepared& one, const Prepared& other);

}  // namespace tandem
