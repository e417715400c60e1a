#include "tests/support/recorded_run.h"

namespace tandem {

void RecordedRun::Line(const char* what, std::initializer_list<std::int64_t> numbers) {
  text_ += what;
  for (const std::int64_t number : numbers) text_ += " " + std::to_string(number);
  text_ += "\n";
}

void RecordedRun::Add(const Span& s) {
  ++spans_;
  Line("span",
       {s.unit.value, s.slot, static_cast<int>(s.kind), s.stream.value, s.index, s.segment, s.tensor,
        s.from_memory, s.to_memory, s.release.count(), s.ready.count(), s.start.count(), s.end.count()});
}

void RecordedRun::Ended(const RequestEnd& end) {
  Line(end.dropped ? "dropped" : "completed",
       {end.stream.value, end.index, end.release.count(), end.at.count()});
}

void RecordedRun::Add(const Outcome& outcome) {
  for (const StreamOutcome& s : outcome.streams) {
    Line("stream",
         {s.released, s.dropped, s.skipped, s.missed, s.first_release.count(), s.last_completion.count()});
    for (const Nanos latency : s.latencies) Line("latency", {latency.count()});
    for (const Nanos age : s.ages) Line("age", {age.count()});
    for (const Nanos age : s.drop_ages) Line("age when dropped", {age.count()});
    for (const BatchCount& batch : s.batches) Line("batches", {batch.unit.value, batch.size, batch.count});
    for (const StreamWork& work : s.work) {
      Line("work", {work.unit.value, work.unprofiled_busy.count()});
      text_ += std::to_string(work.task_joules) + "\n";
    }
  }
  for (const UnitOutcome& u : outcome.units) {
    Line("unit",
         {u.busy.count(), u.tasks, u.unprofiled_busy.count(), u.away.count(), u.lost_tasks, u.lost.count()});
    text_ += std::to_string(u.task_joules) + "\n";
  }
  for (const LoadCount& of : outcome.loads)
    Line("loads", {of.unit.value, of.model.value, of.loads, of.evictions});
  Line("run", {outcome.first_release.count(), outcome.last_completion.count(), outcome.end.count(),
               outcome.complete});
}

}  // namespace tandem
