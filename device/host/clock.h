// The clock by which everything is measured that the host sees.
#pragma once

#include <chrono>

#include "profiles/base/time.h"

namespace tandem {

// Since some moment that is the same for the whole program.
inline Nanos SteadyNow() {
  return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace tandem
