// One plan on the device: made ready once, then run as often as is asked for.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/harness/applications.h"
#include "device/harness/buffers.h"
#include "device/harness/energy.h"
#include "device/harness/machine_watch.h"
#include "device/harness/moments.h"
#include "device/harness/units.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/report/report.h"
#include "scenarios/scenario/plan.h"
#include "scenarios/trace/span_log.h"
#include "scenarios/trace/trace.h"

namespace tandem {

struct HarnessRunOptions {
  bool check = true;
  std::int64_t output_bytes = 0;  // what the outputs of a run may take
  // Called ten times a second with the requests that have ended; false: the run is to end.
  std::function<bool(std::int64_t ended)> keep_going;
  RunMeter meter;
  MachineWatch* machine = nullptr;  // null: nobody asks for its state
  MachineWatch::Beside beside;
  ClockSources clocks;
  std::optional<Nanos> look;  // between two looks at clocks and heat during the run; nothing: nobody looks
  // HarnessHost's.
  std::function<std::optional<std::chrono::steady_clock::time_point>()> begins;
  std::function<void()> ended;
};

struct HarnessRunEnd {
  DeviceRun run;
  Report report;
  std::string why_unchecked;
  std::string precisions;             // of the units that computed, where they are several
  std::vector<std::string> warnings;  // of applications
  double disturbance = 0;             // MachineFound's
  TraceRun traced;
  SpanLog spans;
  Nanos end{0};
};

class HarnessPlan {
 public:
  // Runs the plan in virtual time, to know how much memory it will take; throws InputError where that is more
  // than a run is meant to have. All outlive it. `start`: of the applications of a plan that nobody manages.
  HarnessPlan(const PlanFile& file, HarnessUnits& units, StartApplication start = {});

  // Makes everything ready, as a run does again; throws what keeps the plan from running here.
  void Prepare();
  // What ends a run early is in its result. Throws InputError where requests wait for ever.
  HarnessRunEnd Run(const HarnessRunOptions& options);

  std::int64_t requests() const;  // as far as virtual time tells
  // Why a plan that nobody manages runs under the dispatcher; empty: it does not, or it has a policy.
  const std::string& why_managed() const { return why_managed_; }

 private:
  class OneRun;

  const PlanFile* file_;
  HarnessUnits* units_;
  std::vector<std::int64_t> requests_;  // per stream
  std::vector<std::int64_t> numbers_;   // per stream, below which its requests' are: some leave many out
  BufferCounts buffers_;
  RequestsInFlight batches_;
  std::size_t spans_ = 0;
  std::unique_ptr<Applications> applications_;  // null: the dispatcher runs it
  std::string why_managed_;
};

}  // namespace tandem
