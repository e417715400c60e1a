// What command lines say of trials of kernels, and where what was chosen is shared.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "profiles/base/time.h"

namespace tandem {

struct TrialArguments {
  double most_s = -1;  // below 0: not said
  std::string store;

  std::optional<Nanos> Most() const {
    return most_s < 0 ? std::nullopt : std::optional(Nanos(std::llround(most_s * 1e9)));
  }
};

}  // namespace tandem
