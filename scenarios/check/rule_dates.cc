#include <algorithm>
#include <numeric>
#include <tuple>

#include "profiles/base/decimal.h"
#include "scenarios/check/rules.h"

namespace tandem {

std::string MicrosText(Nanos time) { return DecimalText(time.count(), 3) + " us"; }

void CheckDates(const CheckedRun& run, Findings& findings) {
  for (const TracedSpan& span : run.run().spans) {
    const auto wrong = [&](const std::string& what) {
      findings.Violation("dates", run.Name(span), span.start, what);
    };
    if (span.release > span.ready)
      wrong("it is ready at " + MicrosText(span.ready) + ", before its release at " +
            MicrosText(span.release));
    if (span.ready > span.start) wrong("it starts before it is ready at " + MicrosText(span.ready));
    if (span.taken && (*span.taken < span.ready || *span.taken > span.start))
      wrong("it got its slot at " + MicrosText(*span.taken) + ", before it is ready or after it starts");
    if (span.start > span.end) {
      wrong("it ends before it starts, at " + MicrosText(span.end));
    } else if (span.shown_start != span.start || span.shown_duration != span.end - span.start) {
      wrong("ts and dur are not start_ns and end_ns");
    }
    if (span.end > run.run().end) wrong("it ends after the run's end at " + MicrosText(run.run().end));
  }
}

void CheckTracks(const CheckedRun& run, Findings& findings) {
  const auto& spans = run.run().spans;
  std::vector<std::int32_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int32_t i) {
    const TracedSpan& span = spans[static_cast<std::size_t>(i)];
    return std::tuple(span.track, span.start, span.end, i);
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  const TracedSpan* longest = nullptr;  // of those on the track so far, the one that ends last
  for (const std::int32_t i : order) {
    const TracedSpan& span = spans[static_cast<std::size_t>(i)];
    if (longest && longest->track == span.track && longest->end > span.start) {
      findings.Violation("overlap", run.Name(span), span.start,
                         "on " + run.run().tracks[static_cast<std::size_t>(span.track)].name +
                             " it overlaps " + run.Name(*longest));
    }
    if (!longest || longest->track != span.track || span.end > longest->end) longest = &span;
  }
  std::vector<const CheckedTask*> tasks;
  for (const CheckedTask& task : run.tasks) tasks.push_back(&task);
  std::stable_sort(tasks.begin(), tasks.end(), [](const CheckedTask* a, const CheckedTask* b) {
    return std::tie(a->track, a->taken, a->start, a->end) < std::tie(b->track, b->taken, b->start, b->end);
  });
  for (std::size_t t = 1; t < tasks.size(); ++t) {
    const CheckedTask &before = *tasks[t - 1], &task = *tasks[t];
    if (before.track != task.track || before.end <= task.taken || before.work_end > task.work_start) continue;
    findings.Violation("slots", run.Name(task), task.taken,
                       "its slot takes it before it is done with " + run.Name(before));
  }
}

}  // namespace tandem
