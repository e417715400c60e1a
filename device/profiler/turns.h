// Sources of samples take turns, in an order that is shuffled anew each round, until each is done: what
// changes on the machine meanwhile meets all of them alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scenarios/arrivals/random.h"

namespace tandem {

// Of a turn `samples->done` says that it has enough of them.
template <class Turn>
std::int64_t DoneOf(const std::vector<Turn>& turns) {
  return std::count_if(turns.begin(), turns.end(), [](const Turn& turn) { return turn.samples->done; });
}

// Ends early where `goes(turn)` says no.
template <class Turn, class Goes, class Take>
void TakeTurns(std::vector<Turn>& turns, StreamRandom& random, Goes goes, Take take) {
  std::vector<Turn*> open;
  for (Turn& turn : turns) open.push_back(&turn);
  while (!open.empty()) {
    for (const std::size_t i : ShuffledOrder(open.size(), random)) {
      if (!goes(*open[i])) return;
      take(*open[i]);
    }
    std::erase_if(open, [](const Turn* turn) { return turn->samples->done; });
  }
}

}  // namespace tandem
