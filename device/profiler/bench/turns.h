// Sources of samples take turns, in an order that is shuffled anew each round, until each is done: what
// changes on the machine meanwhile meets all of them alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/host/clock.h"
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

inline constexpr std::size_t kRoundsToKnow = 5, kMostRounds = 60;
inline constexpr int kMostOfTime = 2;
inline constexpr double kHardlyKnown = 0.1;  // a relative error that is worth more time than there was

// Rounds until the time is up, at least so many, twice as long where they tell next to nothing by then, or
// until what they tell is known to `noise`; false where `round` gave that.
template <class Round, class KnownTo>
bool TakeRounds(std::size_t least, Nanos time, double noise, Round round, KnownTo known_to) {
  const Nanos begin = SteadyNow();
  for (std::size_t i = 0; i < kMostRounds; ++i) {
    const Nanos taken = SteadyNow() - begin;
    if (i >= least && taken >= time && (taken >= kMostOfTime * time || known_to(kHardlyKnown))) break;
    if (i >= kRoundsToKnow && known_to(noise)) break;
    if (!round(i)) return false;
  }
  return true;
}

}  // namespace tandem
