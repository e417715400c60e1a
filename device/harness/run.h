// One plan on the device: made ready once, then run as often as is asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/harness/buffers.h"
#include "device/harness/energy.h"
#include "device/harness/units.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/report/report.h"
#include "scenarios/scenario/plan.h"
#include "scenarios/trace/span.h"
#include "scenarios/trace/trace.h"

namespace tandem {

// What happened, kept until the run is over: writing it down meanwhile would take the units' time.
class KeptSpans final : public SpanSink {
 public:
  explicit KeptSpans(std::size_t expected);
  void Add(const Span& span) override { spans_.push_back(span); }
  void Completed(StreamId stream, std::int32_t index, Nanos release, Nanos at) override {
    completed_.push_back({stream, index, release, at});
  }
  void Dropped(StreamId stream, std::int32_t index, Nanos release, Nanos at) override {
    dropped_.push_back({stream, index, release, at});
  }

  struct RequestEnd {
    StreamId stream;
    std::int32_t index = 0;
    Nanos release{0}, at{0};
  };
  const std::vector<Span>& spans() const { return spans_; }
  const std::vector<RequestEnd>& completed() const { return completed_; }
  void PassOn(SpanSink& sink) const;

 private:
  std::vector<Span> spans_;
  std::vector<RequestEnd> completed_, dropped_;
};

struct HarnessRunOptions {
  bool check = true;
  std::int64_t output_bytes = 0;  // what the outputs of a run may take
  // Called ten times a second with the requests that have ended; false: the run is to end.
  std::function<bool(std::int64_t ended)> keep_going;
  RunMeter meter;
};

struct HarnessRunEnd {
  DeviceRun run;
  Report report;
  std::string why_unchecked;
  std::string precisions;  // of the units that computed, where they are several
  TraceRun traced;
  KeptSpans spans{0};
  Nanos end{0};
};

class HarnessPlan {
 public:
  // Runs the plan in virtual time, to know how much memory it will take. All outlive it.
  HarnessPlan(const PlanFile& file, HarnessUnits& units);

  // Makes everything ready, as a run does again; throws what keeps the plan from running here.
  void Prepare();
  // What ends a run early is in its result. Throws InputError where requests wait for ever.
  HarnessRunEnd Run(const HarnessRunOptions& options);

  std::int64_t requests() const;  // as far as virtual time tells

 private:
  class OneRun;

  const PlanFile* file_;
  HarnessUnits* units_;
  std::vector<std::int64_t> requests_;  // per stream
  BufferCounts buffers_;
  std::size_t spans_ = 0;
};

}  // namespace tandem
