// What units with a limit may hold, where the policy chooses it, as far as that keeps models away.
#pragma once

#include <vector>

#include "policies/bounds/least_times.h"
#include "policies/problem/problem.h"

namespace tandem {

inline constexpr std::size_t kMostResidentChoices = 256;

class ResidentChoice {
 public:
  ResidentChoice() = default;  // keeps nothing away
  ResidentChoice(std::size_t units, std::vector<char> forbidden)
      : units_(units), forbidden_(std::move(forbidden)) {}

  bool Allows(ModelId model, UnitId unit) const {
    return forbidden_.empty() || !forbidden_[model.index() * units_ + unit.index()];
  }

 private:
  std::size_t units_ = 0;
  std::vector<char> forbidden_;  // per model and unit
};

// Every choice that a policy can make allows no more than one of these. Where they are too many, it is the
// one that keeps nothing away.
std::vector<ResidentChoice> ResidentChoices(const Problem& problem, const LeastTimes& least);

}  // namespace tandem
