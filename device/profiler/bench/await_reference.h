// Units that are about to work beside each other wait until their yardsticks say that all of them are in
// their reference state.
#pragma once

#include <span>
#include <vector>

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/unit_state.h"

namespace tandem {

class AwaitReference {
 public:
  // Keeps its readings among the samples', which go on with those of an earlier run. It waits for `free`, and
  // beyond that for no more than half of the time that passes: a slowdown in another state is better than
  // none, as both turns of a round are mostly in the same.
  AwaitReference(ProfilerBench& bench, ProfilerSamples& samples, Nanos free = Nanos{0});

  double operator()(std::span<const std::size_t> units);  // an AwaitState

 private:
  // How far off the worst is; 0: all are in the reference state, as far as it is known. Several have their
  // yardsticks at once, with all that can work beside them: one by one, two on one core of a host seem well.
  double FarthestOff(std::span<const std::size_t> units);
  std::vector<std::size_t> WithAllBeside(std::span<const std::size_t> units) const;

  ProfilerBench& bench_;
  std::vector<UnitState> alone_, at_once_;  // per unit of the bench
  Nanos free_, begin_, waited_{0};
};

}  // namespace tandem
