#include "sim/study/played.h"

#include "policies/problem/resident_options.h"
#include "profiles/base/check.h"

namespace tandem {

std::shared_ptr<const Problem> TakenBy(const Problem& decided, const Played& played) {
  if (played.takes == played.decides) return nullptr;
  const Problem cut(*played.takes, decided.granularity(), decided.cut_plan());
  const auto held = cut.Holding(ChosenResidents(decided));
  TANDEM_CHECK(cut.segments().size() == decided.segments().size() && held,
               "in another state a board has the same tasks and the same room");
  return std::make_shared<const Problem>(cut.With(*held));
}

void SetTaken(const Problem* taken, RunOptions& options) {
  if (taken == nullptr) return;
  options.work_time = [taken](const Task& task, UnitId unit, bool mapped, Nanos) {
    return taken->Work(task.segment, unit, mapped);
  };
  options.slowdowns = &taken->slowdowns();
  options.hand_overs = &taken->hand_overs();
}

}  // namespace tandem
