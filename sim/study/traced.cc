#include "sim/study/traced.h"

#include "policies/engine/trace_run.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"

namespace tandem {

RunsForPage::RunsForPage(const Scenario& scenario, std::size_t most_spans)
    : scenario_(scenario), most_(most_spans), left_(most_spans) {
  trace_.scenario = scenario.name;
  trace_.platform = scenario.platform->name;
  std::int32_t track = 0;
  for (const Unit& unit : scenario.platform->units) {
    first_track_.push_back(track);
    track += static_cast<std::int32_t>(unit.slots);
  }
  for (const Link& link : scenario.platform->links) {
    if (link.engine) first_track_.push_back(track++);
  }
}

SpanSink& RunsForPage::BeginRun(TraceRun run) {
  run_ = {};
  static_cast<TraceRunFacts&>(run_) = run;
  run_.name = std::move(run.name);
  run_.segments = std::move(run.segments);
  run_.tracks = TracksOf(*scenario_.platform);
  for (const Stream& stream : scenario_.streams) run_.streams.push_back(stream.name);
  fits_ = true;
  return *this;
}

void RunsForPage::Add(const Span& span) {
  fits_ = fits_ && run_.spans.size() < left_;
  if (!fits_) return;
  TracedSpan traced;
  traced.track = first_track_[span.unit.index()] + span.slot;
  traced.stream = static_cast<std::int32_t>(span.stream.index());
  traced.segment = span.segment;
  traced.kind = span.kind;
  traced.index = span.index;
  traced.release = span.release;
  traced.ready = span.ready;
  traced.start = span.start;
  traced.end = span.end;
  run_.spans.push_back(traced);
}

void RunsForPage::EndRun(const Outcome& outcome) {
  run_.end = outcome.end;
  run_.complete = outcome.complete;
  if (!fits_) {
    left_out_.push_back(run_.policy);
    run_ = {};
    return;
  }
  left_ -= run_.spans.size();
  trace_.runs.push_back(std::move(run_));
}

void RunsForPage::MoveTo(Page& page) {
  if (!left_out_.empty()) {
    page.taken.push_back("timeline and latencies are not shown of " + Joined(left_out_) + ": a page keeps " +
                         Grouped(static_cast<std::int64_t>(most_)) + " spans");
  }
  page.trace = std::move(trace_);
}

void AddRuns(const Scenario& scenario, Engine engine, const std::vector<PolicySpec>& policies, Page& page) {
  RunsForPage runs(scenario);
  for (const PolicySpec& policy : policies) {
    const PreparedRun run = Prepare(scenario, policy);
    RunOptions options;
    options.spans = &runs.BeginRun(TraceRunOf(run, *run.spec, std::string(NameOf(kEngineNames, engine))));
    runs.EndRun(RunOn(engine, run, options));
  }
  runs.MoveTo(page);
}

}  // namespace tandem
