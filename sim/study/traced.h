// What happened in runs, kept for a page's timeline: as a trace says it when it is read back, without its
// text.
#pragma once

#include <string>
#include <vector>

#include "scenarios/trace/read.h"
#include "sim/page/page.h"
#include "sim/study/one_run.h"

namespace tandem {

// More is left out: a page of a million spans has some 60 MB.
inline constexpr std::size_t kMostSpansOfPage = 1'000'000;

// Takes runs one after the other. A run that does not fit beside those before it is left out whole.
class RunsForPage final : private SpanSink {
 public:
  // `scenario` has a platform and outlives it.
  explicit RunsForPage(const Scenario& scenario, std::size_t most_spans = kMostSpansOfPage);

  SpanSink& BeginRun(TraceRun run);  // good until EndRun
  void EndRun(const Outcome& outcome);
  void MoveTo(Page& page);  // the runs, and a sentence of those that are left out

 private:
  void Add(const Span& span) override;
  void Ended(const RequestEnd&) override {}  // spans tell

  const Scenario& scenario_;
  std::size_t most_, left_;
  bool fits_ = true;
  std::vector<std::int32_t> first_track_;  // per unit, then per copy engine
  TracedRun run_;
  Trace trace_;
  std::vector<std::string> left_out_;  // labels of policies
};

// Runs made once more, for what shows them beside figures that stand already: the same inputs give the same
// run.
void AddRuns(const Scenario& scenario, Engine engine, const std::vector<PolicySpec>& policies, Page& page);

}  // namespace tandem
