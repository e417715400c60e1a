// How much longer work takes than profiled, as far as it was seen in this run: an exponential average per
// model and unit, and one per unit over all that it does.
#pragma once

#include <vector>

#include "policies/engine/policy.h"

namespace tandem {

class LearnedTimes {
 public:
  // `weight`: of the newest task in an average, above 0, 1 at most.
  LearnedTimes(const Problem& problem, double weight);

  // Its work took so many times as long as was to be expected: Board::times.
  void Ended(const Task& task, UnitId unit, double times, Nanos now);

  // What `profiled` nanoseconds of the task's model take on the unit now; of whatever it does.
  Nanos Corrected(Nanos profiled, const Task& task, UnitId unit, Nanos now) const;
  Nanos Corrected(Nanos profiled, UnitId unit, Nanos now) const;

 private:
  // What was not seen for long is forgotten: else a unit that was slow once would never be tried again.
  struct Average {
    double factor = 1;
    double last = 1;  // what the last task took
    Nanos seen{0};    // when
    Nanos usual{0};   // what such a task takes by its profile
    double At(Nanos now) const;
  };

  std::size_t PlaceOf(const Task& task, UnitId unit) const;
  void Learn(Average& average, double times, Nanos usual, Nanos now) const;

  const Problem* problem_;
  double weight_;
  std::vector<Average> of_models_;  // per model and unit
  std::vector<Average> of_units_;   // per unit
};

}  // namespace tandem
