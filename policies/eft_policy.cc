// Earliest finish time: each task goes, when it becomes ready, to the unit that would finish it first, by the
// profiled times of what waits there and what remains of what runs; a unit of several slots shares that among
// them. Tie-break: units in the order of the platform. Source: minimum completion time, StarPU's "dm".
#include "policies/assigning_policy.h"

namespace tandem {
namespace {

class EftPolicy final : public AssigningPolicy {
 public:
  using AssigningPolicy::AssigningPolicy;

 private:
  UnitId UnitFor(const Task& task, const Board& board) override {
    UnitId best;
    Nanos earliest{0};
    for (std::size_t u = 0; u < problem().units(); ++u) {
      const UnitId unit(u);
      if (!problem().Runs(task.segment, unit)) continue;
      const Nanos before = (Queued(unit) + board.Remaining(unit)) / problem().platform().unit(unit).slots;
      const Nanos finish = before + WorkOf(task, unit);
      if (best.valid() && finish >= earliest) continue;
      best = unit;
      earliest = finish;
    }
    return best;
  }
};

std::unique_ptr<Policy> Make(const PolicySpec&, Problem& problem) {
  return std::make_unique<EftPolicy>(problem);
}

const PolicyRegistration kEft{
    {.name = "eft",
     .summary = "each task goes, at its release, to the unit that would finish it first",
     .make = Make}};

}  // namespace
}  // namespace tandem
