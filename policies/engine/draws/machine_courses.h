// How disturbed the units are while a draw lasts: as they were while their profiles were measured, round and
// round.
#pragma once

#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

class MachineCourses {
 public:
  explicit MachineCourses(const Scenario& scenario);

  bool any() const;                       // was anything ever disturbed?
  Nanos lasts() const { return lasts_; }  // the longest

  // What a task takes that begins `from` on and would take `undisturbed`.
  Nanos Takes(UnitId unit, Nanos from, Nanos undisturbed) const;
  bool IsUndisturbed(Nanos at) const;

 private:
  struct Course {
    std::vector<Nanos> ends;  // of the stretches; the last one's is the course's
    std::vector<double> slowdowns;
    double undisturbed = 0;  // what it comes to of work
    bool disturbed = false;
    std::size_t At(Nanos at) const;  // which stretch; `at` before the end
  };

  std::vector<Course> units_;
  Nanos lasts_{0};
};

}  // namespace tandem
