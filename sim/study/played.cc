#include "sim/study/played.h"

namespace tandem {

std::shared_ptr<const Problem> TakenBy(const PolicySpec& spec, const Played& played) {
  return played.takes == played.decides ? nullptr : ProblemFor(spec, *played.takes);
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
