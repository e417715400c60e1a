#include "device/harness/run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "device/harness/device_runner.h"
#include "device/harness/harness.h"
#include "device/harness/late_releases.h"
#include "device/harness/output_check.h"
#include "device/harness/serving_threads.h"
#include "device/harness/tensors.h"
#include "device/harness/work.h"
#include "policies/engine/trace_run.h"
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/prepared_run.h"
#include "policies/problem/roots.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/statistics.h"
#include "profiles/base/table.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/report/limits.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

// Of a run, requests as well: what a device did with each is kept to its end, in some 200 bytes.
constexpr std::int64_t kMostTasks = 10'000'000;

const PolicySpec& PolicyOf(const PlanFile& file) { return file.scenario.policies.front(); }

[[noreturn]] void FailTooMany(const PlanFile& file) {
  throw InputError(file.scenario.file + ":/streams: more than " + Grouped(kMostTasks) +
                   " requests or tasks in one run, of each of which a device keeps what it did, in some " +
                   Grouped(kMostTasks * 200 >> 20) + " MiB; let fewer requests come");
}

// In virtual time, which ends where it is more than a device would keep.
Outcome RunBefore(const PlanFile& file, const PreparedRun& prepared, SpanLog& spans) {
  std::int64_t requests = 0;
  for (const RequestCount& of : CountRequests(file.scenario.streams, file.scenario.seed)) {
    requests += of.count;
    if (requests > kMostTasks) FailTooMany(file);
  }
  RunOptions options;
  options.spans = &spans;
  options.progress = [&](std::int64_t ended) { return !spans.full() && ended <= kMostTasks; };
  Outcome outcome = RunVirtual(*prepared.problem, *prepared.policy, options);
  if (!outcome.complete || spans.full()) FailTooMany(file);
  return outcome;
}

// Inputs made up beforehand; outputs kept to be compared.
class MadeUpRequests final : public RequestData {
 public:
  MadeUpRequests(const Problem& problem, const HarnessUnits& units, StoredOutputs& outputs)
      : problem_(&problem), units_(&units), outputs_(&outputs) {}

  const float* Input(const Task& task, std::size_t input) override {
    return units_->Inputs(problem_->cut_of(task.stream), task.index)[input].data();
  }
  float* Output(const Task& task, std::int32_t tensor, std::size_t place) override {
    return outputs_->At(task, tensor, place);
  }
  void Ended(const Task& task, UnitId unit, bool computes, const std::string& hash,
             std::size_t together) override {
    outputs_->Ended(task, unit, computes, hash, together,
                    static_cast<std::size_t>(task.index) % HarnessUnits::kInputSets);
  }

 private:
  const Problem* problem_;
  const HarnessUnits* units_;
  StoredOutputs* outputs_;
};

}  // namespace

HarnessPlan::HarnessPlan(const PlanFile& file, HarnessUnits& units, StartApplication start)
    : file_(&file), units_(&units) {
  const PreparedRun prepared = tandem::Prepare(file.scenario, PolicyOf(file));
  SpanLog spans(static_cast<std::size_t>(kMostTasks));
  const Outcome outcome = RunBefore(file, prepared, spans);
  for (std::size_t s = 0; s < outcome.streams.size(); ++s) {
    const Stream& stream = file.scenario.streams[s];
    // How many a closed stream releases until a date depends on how long they take.
    const bool open_end = stream.until.duration > Nanos{0};
    requests_.push_back(outcome.streams[s].released * (open_end ? 2 : 1));
  }
  for (std::size_t s = 0; s < requests_.size(); ++s) {
    numbers_.push_back(requests_[RootOf(file.scenario, StreamId(s)).index()]);
  }
  buffers_ = BuffersInUse(*prepared.problem, spans.spans());
  batches_ = BatchesInFlight(*prepared.problem, spans.spans());
  spans_ = spans.spans().size();
  if (!NobodyManages(PolicyOf(file))) return;
  why_managed_ = start ? WhyManaged(*prepared.problem, spans.spans()) : "nothing here starts applications";
  if (why_managed_.empty()) applications_ = std::make_unique<Applications>(file, std::move(start));
}

std::int64_t HarnessPlan::requests() const {
  std::int64_t total = 0;
  for (const std::int64_t count : requests_) total += count;
  return total;
}

void HarnessPlan::Prepare() {
  if (applications_) return applications_->Prepare();
  const PreparedRun prepared = tandem::Prepare(file_->scenario, PolicyOf(*file_));
  units_->Prepare(*prepared.problem);
}

// One run: what it works with, and what it came to.
class HarnessPlan::OneRun {
 public:
  OneRun(const HarnessPlan& plan, const HarnessRunOptions& options)
      : plan_(&plan),
        options_(&options),
        spec_(&PolicyOf(*plan.file_)),
        prepared_(tandem::Prepare(plan.file_->scenario, *spec_)) {
    // On a device a few more may come; what they are written to is there before, or it takes the units' time.
    if (plan.spans_ > 0) result_.spans.Reserve(plan.spans_ + plan.spans_ / 8 + 64);
  }

  // All memory is taken and all threads wait before time zero, and outputs are compared after the last task,
  // so that nothing but the plan's own work is measured.
  HarnessRunEnd Make() {
    if (plan_->applications_) return MakeByApplications();
    const Problem& problem = *prepared_.problem;
    plan_->units_->Prepare(problem);
    LiveTensors tensors(problem, *plan_->units_, plan_->buffers_);
    const std::vector<std::int64_t> none(plan_->numbers_.size());
    StoredOutputs outputs(problem, options_->check ? plan_->numbers_ : none, options_->output_bytes,
                          plan_->units_->places() + plan_->units_->engines(),
                          plan_->units_->memory(MemoryId(0)));
    if (options_->machine) options_->machine->Before(problem, options_->beside);
    Outcome outcome = Execute(tensors, outputs);
    if (options_->machine) Note(options_->machine->After());
    Check(outputs);
    Describe(std::move(outcome));
    return std::move(result_);
  }

 private:
  Outcome Execute(LiveTensors& tensors, StoredOutputs& outputs) {
    const Problem& problem = *prepared_.problem;
    const DeviceRunner* running = nullptr;
    LateReleases policy(problem, *prepared_.policy, [&](UnitId unit) { return running->WasIdle(unit); });
    RunOptions run_options;
    run_options.spans = &result_.spans;
    run_options.hands_on = false;  // requests' own inputs are made up
    Dispatcher dispatcher(problem, policy, run_options);
    MadeUpRequests requests(problem, *plan_->units_, outputs);
    HarnessWork work(problem, dispatcher, *plan_->units_, tensors, requests);
    work.Reserve(plan_->batches_);
    DeviceRunnerOptions runner_options;
    runner_options.spin = [&](UnitId unit) { return SpinOf(problem, unit); };
    runner_options.keep_going = options_->keep_going;
    DeviceRunner runner(dispatcher, work, runner_options);
    running = &runner;
    const std::unique_ptr<MomentRecorder> moments = Recorder();
    {
      const ServingThreads threads(runner, work, *plan_->units_);
      if (!MayBegin(runner)) dispatcher.CutShort();
      EnergyWindow energy = options_->meter.Begin();
      if (moments) moments->Begin();
      runner.Run(dispatcher);
      if (moments) result_.run.moments = moments->Stop();
      result_.run.energy = energy.End();
    }
    if (options_->ended) options_->ended();
    Outcome outcome = dispatcher.TakeOutcome();
    DeviceRun& run = result_.run;
    run.complete = outcome.complete;
    if (!run.complete) run.failure = runner.failure() ? WhatOf(runner.failure()) : "interrupted";
    run.late_releases = policy.late();
    if (const auto gaps = runner.gaps(); !gaps.empty()) run.dispatch = LowerMedian(gaps);
    return outcome;
  }

  std::unique_ptr<MomentRecorder> Recorder() const {
    if (!options_->look) return nullptr;
    return std::make_unique<MomentRecorder>(*plan_->file_->scenario.platform, options_->clocks,
                                            *options_->look);
  }

  bool MayBegin(DeviceRunner& runner) const {
    if (!options_->begins) return true;
    const auto zero = options_->begins();
    if (zero) runner.BeginAt(*zero);
    return zero.has_value();
  }

  HarnessRunEnd MakeByApplications() {
    plan_->applications_->Prepare();
    const std::unique_ptr<MomentRecorder> moments = Recorder();
    EnergyWindow energy = options_->meter.Begin();
    if (moments) moments->Begin();
    ApplicationsEnd end = plan_->applications_->Run(
        *prepared_.problem, [&] { return !options_->keep_going || options_->keep_going(0); });
    if (moments) result_.run.moments = moments->Stop();
    // Then they compare outputs.
    std::erase_if(result_.run.moments, [&](const RunMoment& moment) { return moment.at > end.outcome.end; });
    result_.run.energy = energy.End();
    result_.run.complete = end.failure.empty();
    result_.run.failure = std::move(end.failure);
    result_.run.outputs = end.outputs;
    result_.run.late_releases = end.late_releases;
    Note(JudgeMachine(end.taken, {}, {}));
    result_.spans = std::move(end.spans);
    result_.warnings = std::move(end.warnings);
    Describe(std::move(end.outcome));
    return std::move(result_);
  }

  void Note(MachineFound found) {
    DeviceRun& run = result_.run;
    run.disturbed = found.disturbed();
    run.taken = found.taken;
    run.yardsticks = std::move(found.yardsticks);
    run.heat = std::move(found.heat);
    run.held_back = std::move(found.held_back);
    result_.disturbance = found.disturbance;
    // It may have begun and ended while it ran, where the kernel does not count.
    const bool held_back = std::ranges::any_of(run.moments, &RunMoment::held_back);
    if (!held_back || !run.held_back.empty()) return;
    run.held_back = "clocks were held back for the heat for a while";
    run.disturbed = true;
    result_.disturbance = std::max(result_.disturbance, 1.0);
  }

  void Check(StoredOutputs& outputs) {
    DeviceRun& run = result_.run;
    if (!run.complete || !options_->check) {
      run.outputs.unchecked = static_cast<std::int64_t>(result_.spans.completed());
      return;
    }
    for (const RequestEnd& end : result_.spans.ends()) {
      if (!end.dropped) outputs.Completed(end.stream, end.index);
    }
    OutputVerdict verdict =
        outputs.Compare([&](CutId cut) -> const auto& { return plan_->units_->RunWhole(cut); });
    run.outputs = verdict.check;
    result_.why_unchecked = std::move(verdict.why_unchecked);
  }

  void NotePrecisions() {
    std::set<std::string> all;
    for (const Span& span : result_.spans.spans()) {
      if (span.kind != SpanKind::kCompute) continue;
      const auto& variant = plan_->file_->scenario.units[span.unit.index()].variant;
      all.insert(variant.value_or(Variant{}).precision);
    }
    if (all.size() >= 2) result_.precisions = Joined(all);
  }

  void Describe(Outcome outcome) {
    const Scenario& scenario = plan_->file_->scenario;
    NotePrecisions();
    DeviceRun& run = result_.run;
    AddBusy(result_.spans.spans(), *scenario.platform, run.moments);
    run.policy = spec_->declaration->name;
    run.label = spec_->label;
    run.makespan = outcome.makespan();
    RunFacts facts;
    facts.engine = "device";
    facts.bound = plan_->file_->plan.predicted.bound;
    if (!facts.bound) facts.bound_why = "the plan has none";
    facts.residents = ResidentsOf(*prepared_.problem);
    result_.end = outcome.end;
    result_.traced = TraceRunOf(prepared_, *spec_, facts.engine, true);
    result_.report = MakeReport(scenario, *spec_, facts, std::move(outcome));
    run.objective = ObjectiveValue(result_.report, scenario.objective);
    if (!result_.report.limits.empty()) run.excess = ExcessAsMeasured();
    // What was measured is better than what the profile says of what ran.
    if (scenario.objective == Objective::kEnergy && run.energy.joules) run.objective = run.energy.joules;
  }

  // Where a sensor tells what was drawn, limits of energy and power are of that.
  double ExcessAsMeasured() const {
    Report measured = result_.report;
    if (result_.run.energy.joules) measured.energy_j = result_.run.energy.joules;  // streams' are computed
    measured.limits = JudgeLimits(plan_->file_->scenario.limits, measured);
    return ExcessOf(measured);
  }

  const HarnessPlan* plan_;
  const HarnessRunOptions* options_;
  const PolicySpec* spec_;
  PreparedRun prepared_;
  HarnessRunEnd result_;
};

HarnessRunEnd HarnessPlan::Run(const HarnessRunOptions& options) { return OneRun(*this, options).Make(); }

}  // namespace tandem
