// Fastest unit: each task goes to the unit with the least profiled time for it, however long it waits there.
// Tie-break: units in the order of the platform. Source: what a user does who puts every model where it runs
// best alone; "minimum execution time" in the literature.
#include "policies/kinds/assigning_policy.h"

namespace tandem::fastest_unit {
namespace {

class FastestUnitPolicy final : public AssigningPolicy {
 public:
  using AssigningPolicy::AssigningPolicy;

 private:
  UnitId UnitFor(const Task& task, const Board&) override {
    UnitId best;
    for (std::size_t u = 0; u < problem().units(); ++u) {
      const UnitId unit(u);
      if (!problem().Runs(task.segment, unit)) continue;
      if (!best.valid() || problem().Time(task.segment, unit) < problem().Time(task.segment, best))
        best = unit;
    }
    return best;
  }
};

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<FastestUnitPolicy>(problem);
}

const PolicyRegistration kFastestUnit{
    {.name = "fastest_unit",
     .summary = "each task goes to the unit with the least profiled time for it",
     .make = Make}};

}  // namespace
}  // namespace tandem::fastest_unit
