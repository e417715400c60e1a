// Models that run on their units at once, again and again.
#pragma once

#include <vector>

#include "device/profiler/beside/jobs.h"
#include "device/profiler/samples/chain_passes.h"

namespace tandem {

// One of them, and the times of its parts.
struct RunningSide {
  static constexpr std::size_t kAlone = 0, kBeside = 1;  // turns

  CoRunningSide at;
  ProfiledChain* chain;  // null: it does not run there
  std::vector<TurnTimes> parts;

  RunningSide(ProfilerBench& bench, const CoRunningSide& of);
  Nanos OneRun(ProfilerBench& bench) const;
  void Keep(std::size_t turn, const ChainPasses& passes);
};

// Until each has run often enough to tell; `longest`: a run of the one that takes longest.
std::vector<ChainPasses> RunAtOnce(ProfilerBench& bench, const std::vector<const RunningSide*>& sides,
                                   Nanos longest);

}  // namespace tandem
