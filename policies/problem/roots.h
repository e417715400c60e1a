// On whose requests a stream's hang in the end.
#pragma once

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Itself where it follows none.
inline StreamId RootOf(const Scenario& scenario, StreamId stream) {
  while (const auto* follows = std::get_if<DependentArrival>(&scenario.streams[stream.index()].arrival)) {
    stream = follows->parent;
  }
  return stream;
}

}  // namespace tandem
