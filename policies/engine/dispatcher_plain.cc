// Which runs the loop is compiled for once more, without what they never come to.
#include "policies/engine/dispatcher.h"

namespace tandem {

// One slot a unit; every request one task that takes some time, as much as its profile says, with nothing to
// do before or after; nothing noted of it but its latency and its unit's time.
bool Dispatcher::IsPlain() const {
  const bool asks_more = options_.from_outside || changes_rates_ || shared_time_.on() || notes_ends_ ||
                         holds_back_ || !as_profiled_ || drops_.on() || ages_.on() || stages_.on() ||
                         batches_.on() || handed_.on() || ledger_.on() || exclusion_.on() || absences_.on() ||
                         releases_.any_hangs();
  if (asks_more || places().of_units() != problem_->units()) return false;
  for (const Cut& cut : problem_->cuts()) {
    if (cut.segments != 1) return false;
  }
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    for (std::size_t u = 0; u < problem_->units(); ++u) {
      const SegmentId segment(s);
      const UnitId unit(u);
      if (!problem_->Runs(segment, unit)) continue;
      if (problem_->Work(segment, unit) <= Nanos{0} || !transfers_.Plain(segment, unit)) return false;
      if (problem_->Joules(segment, unit)) return false;
    }
  }
  return true;
}

}  // namespace tandem
