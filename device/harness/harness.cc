#include "device/harness/harness.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "device/harness/programs.h"
#include "device/harness/run.h"
#include "device/loads/background_loads.h"
#include "device/processor/provenance.h"
#include "profiles/base/input_error.h"
#include "profiles/base/table.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/report/json.h"
#include "scenarios/scenario/measured_room.h"

namespace tandem {
namespace {

constexpr std::int64_t kMemoryWhereUnknown = std::int64_t{4} << 30;
constexpr std::int64_t kShareForOutputs = 4;  // one part of so many

// Plans of the same key run on the same opened units: platform, profiles and models are the same.
std::string UnitsKey(const Scenario& scenario) {
  std::string key = PlatformJson(*scenario.platform);
  for (const Profile& profile : scenario.profiles) key += std::to_string(ProfileHash(profile)) + "|";
  for (const ScenarioModel& model : scenario.models) key += model.key + "|";
  for (const UnitUse& unit : scenario.units) key += (unit.variant ? unit.variant->Text() : "") + "|";
  return key;
}

// What a trace speaks of beside the runs.
std::string TraceKey(const Scenario& scenario) {
  std::string key = UnitsKey(scenario) + scenario.name;
  for (const Stream& stream : scenario.streams) key += "|" + stream.name;
  return key;
}

// Plans that are of one profile say the same.
void WarnOnce(const std::string& warning, RunAnswer& result) {
  auto& known = result.warnings;
  if (std::find(known.begin(), known.end(), warning) == known.end()) known.push_back(warning);
}

void CheckRunnable(const RunOrder& request, const PlanFile& file, const HarnessHost& host,
                   RunAnswer& result) {
  const Scenario& scenario = file.scenario;
  if (!scenario.platform || !scenario.costs) {
    throw InputError(scenario.file + ": the plan has no " +
                     (scenario.platform ? "profiles" : "platform: no device was asked for its own"));
  }
  CheckLoads(scenario);
  for (const MeasuredRoom& room : RoomsInDoubt(scenario)) {
    const std::string sentence = scenario.file + ": " + RoomSentence(room);
    if (room.CannotFit() && !request.force)
      throw InputError(sentence + "; --force runs the plan all the same");
    WarnOnce(sentence, result);
  }
  std::vector<std::string> reasons = WhyNotHere(file, host);
  if (!reasons.empty() && !request.force) {
    throw InputError(scenario.file + ": the plan was not made for this machine: " + reasons[0] +
                     "; profile it anew, or --force runs the plan all the same");
  }
  result.forced = result.forced || !reasons.empty();
  for (std::string& changed : WhatChanged(file, host)) reasons.push_back(std::move(changed));
  for (std::string& otherwise : WhatIsOtherwise(file)) reasons.push_back(std::move(otherwise));
  for (const std::string& reason : reasons) WarnOnce(scenario.file + ": " + reason, result);
}

// All plans of a request, made ready.
class Session {
 public:
  Session(const RunOrder& request, const HarnessHost& host)
      : request_(&request), host_(&host), store_(request.seed) {
    for (const PlanFile& file : request.plans) {
      auto& units = units_[UnitsKey(file.scenario)];
      if (!units.opened) Open(file, units);
      plans_.push_back(std::make_unique<HarnessPlan>(file, *units.opened, ApplicationsOf(plans_.size())));
      if (const std::string& why = plans_.back()->why_managed(); !why.empty() && !host.begins) {
        warnings_.push_back(file.plan.policy.label +
                            ": its streams take turns under tandem's dispatcher, as " +
                            "applications by themselves do not: " + why);
      }
      machines_.push_back(units.machine.get());
      meters_.emplace_back(host.energy.get(), file.scenario);
    }
  }

  // False: interrupted.
  bool Prepare() {
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (!Tell("getting ready", p, plans_.size())) return false;
      plans_[p]->Prepare();
    }
    NoteKernels();
    for (RunMeter& meter : meters_) {
      if (!Tell("measuring what idles", 0, 1)) return false;
      meter.MeasureIdle();
    }
    return Tell("getting ready", plans_.size(), plans_.size());
  }

  // The least disturbed of its tries; one that shows a fault counts, however it was.
  HarnessRunEnd Run(std::size_t plan) {
    HarnessRunEnd best = RunOnce(plan);
    std::int64_t tries = 1;
    const auto faulty = [](const HarnessRunEnd& end) {
      return !end.run.complete || end.run.outputs.wrong > 0;
    };
    for (; tries < request_->tries && best.disturbance >= 1 && !faulty(best); ++tries) {
      HarnessRunEnd next = RunOnce(plan);
      if (next.disturbance < best.disturbance || faulty(next)) best = std::move(next);
    }
    best.run.tries = tries;
    return best;
  }

  // Since the last call: what was not beside a run as it should have been.
  std::vector<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

 private:
  struct Units {
    std::unique_ptr<HarnessUnits> opened;
    std::unique_ptr<MachineWatch> machine;  // goes before them
  };
  StartApplication ApplicationsOf(std::size_t plan) const {
    if (!host_->start_application) return {};
    return [this, plan](const std::string& stream) { return host_->start_application(plan, stream); };
  }
  void Open(const PlanFile& file, Units& units) {
    units.opened = std::make_unique<HarnessUnits>(file.scenario, store_, request_->seed, host_->backend_of);
    // What another machine's yardsticks took says nothing here.
    const bool here = !request_->force || WhyNotHere(file, *host_).empty();  // else it was refused
    units.machine = std::make_unique<MachineWatch>(
        *units.opened, here ? LevelsOf(file.scenario.profiles) : YardstickLevels(), host_->yardstick_of,
        host_->read_taken, host_->clocks.root);
  }

  HarnessRunEnd RunOnce(std::size_t plan) {
    const PlanFile& file = request_->plans[plan];
    HarnessRunOptions options;
    options.check = request_->check;
    options.meter = meters_[plan];
    const std::int64_t memory = host_->memory_bytes > 0 ? host_->memory_bytes : kMemoryWhereUnknown;
    options.output_bytes = memory / kShareForOutputs;
    options.keep_going = [&](std::int64_t ended) {
      return !host_->progress || host_->progress(file.plan.policy.label, ended, plans_[plan]->requests());
    };
    options.machine = host_->begins ? nullptr : machines_[plan];
    options.clocks = host_->clocks;
    if (!host_->begins) options.look = host_->look;  // else whoever started this process does
    options.begins = host_->begins;
    options.ended = host_->ended;
    options.beside = {!file.scenario.programs.empty() || !file.scenario.loads.empty(),
                      request_->tries > 1 ? host_->patience : Nanos{0},
                      [&] { return options.keep_going(0); }};
    BackgroundPrograms programs(file.scenario.programs);
    const BackgroundLoads loads(file.scenario);
    std::this_thread::sleep_for(host_->pause);
    HarnessRunEnd result = plans_[plan]->Run(options);
    NoteKernels();
    for (std::string& warning : result.warnings) warnings_.push_back(std::move(warning));
    for (const std::string& ended : programs.Ended()) {
      warnings_.push_back("background: " + ended + " before the run did");
    }
    for (const std::string& missed : loads.Missed()) warnings_.push_back(missed);
    return result;
  }

  void NoteKernels() {
    for (const auto& [key, units] : units_) {
      for (const std::string& notice : units.opened->TakeKernelNotices()) warnings_.push_back(notice);
    }
  }
  bool Tell(const std::string& what, std::size_t done, std::size_t total) const {
    return !host_->progress ||
           host_->progress(what, static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
  }

  const RunOrder* request_;
  const HarnessHost* host_;
  ModelStore store_;
  std::map<std::string, Units> units_;
  std::vector<std::unique_ptr<HarnessPlan>> plans_;
  std::vector<MachineWatch*> machines_;  // per plan
  std::vector<RunMeter> meters_;         // per plan
  std::vector<std::string> warnings_;
};

// What the runs come to: results, reports and traces one after the other.
class Collected {
 public:
  // Processes of the trace are numbered from `first` on.
  Collected(const RunOrder& request, RunAnswer& result, std::size_t first = 1)
      : result_(&result), first_(first) {
    if (request.trace) trace_.emplace(&result.trace, request.plans[0].scenario, static_cast<int>(first));
  }

  void Add(std::size_t plan, std::int64_t repeat, HarnessRunEnd run) {
    run.run.plan = plan;
    run.run.repeat = repeat;
    if (trace_) {
      run.traced.name += " #" + std::to_string(repeat + 1);
      run.traced.disturbed = run.run.disturbed;
      run.spans.PassOn(
          trace_->BeginRun(static_cast<int>(first_ + result_->runs.size()), std::move(run.traced)));
      trace_->EndRun(run.end, run.run.complete);
    }
    if (!run.why_unchecked.empty()) {
      Warn(run.run.label + ": the outputs of " + Grouped(run.run.outputs.unchecked) +
           " requests were not compared: " + run.why_unchecked);
    }
    if (!run.precisions.empty()) {
      Warn(run.run.label + ": units of several precisions ran it (" + run.precisions +
           "): which of them runs what changes its outputs");
    }
    reports_.push_back(std::move(run.report));
    result_->runs.push_back(std::move(run.run));
  }
  void Warn(const std::string& warning) { WarnOnce(warning, *result_); }
  void Close() {
    if (trace_) trace_->Close();
    result_->reports = ReportsJson(reports_);
  }

 private:
  RunAnswer* result_;
  std::size_t first_;
  std::optional<TraceWriter> trace_;
  std::vector<Report> reports_;
};

using TakeRun = std::function<void(std::size_t plan, std::int64_t repeat, HarnessRunEnd run,
                                   const std::vector<std::string>& warnings)>;

// A run by itself, told at once; of the whole it is known that it was.
void TellAlone(const RunOrder& request, const HarnessHost& host, RunAnswer& whole, std::size_t plan,
               std::int64_t repeat, HarnessRunEnd run, const std::vector<std::string>& warnings) {
  RunAnswer alone = whole;
  alone.runs.clear();
  Collected collected(request, alone, whole.runs.size() + 1);
  collected.Add(plan, repeat, std::move(run));
  for (const std::string& warning : warnings) collected.Warn(warning);
  collected.Close();
  whole.runs.push_back(alone.runs.front());
  host.told(alone);
}

// False: a run was cut short, and no other is to follow.
bool RunRound(const RunOrder& request, std::int64_t repeat, Session& session, StreamRandom& random,
              const TakeRun& take) {
  for (const std::size_t plan : ShuffledOrder(request.plans.size(), random)) {
    HarnessRunEnd run = session.Run(plan);
    const bool complete = run.run.complete;
    take(plan, repeat, std::move(run), session.TakeWarnings());
    if (!complete) return false;
  }
  return true;
}

}  // namespace

RunAnswer RunPlans(const RunOrder& request, const HarnessHost& host) {
  RunAnswer result;
  for (const PlanFile& file : request.plans) {
    CheckRunnable(request, file, host, result);
    if (request.trace && TraceKey(file.scenario) != TraceKey(request.plans[0].scenario)) {
      throw InputError(
          file.scenario.file +
          ": a trace holds runs of one scenario, and this plan is for another one than the first; "
          "run them one by one");
    }
  }
  result.host = host.host;
  result.date = DateNow();
  result.libraries = host.libraries;
  std::optional<EnergyPolling> polling;
  if (host.energy) polling.emplace(*host.energy);
  Session session(request, host);
  const bool each = request.each && host.told;
  std::optional<Collected> collected;
  if (!each) collected.emplace(request, result);
  const TakeRun take = [&](std::size_t plan, std::int64_t repeat, HarnessRunEnd run,
                           const std::vector<std::string>& warnings) {
    if (each) return TellAlone(request, host, result, plan, repeat, std::move(run), warnings);
    collected->Add(plan, repeat, std::move(run));
    for (const std::string& warning : warnings) collected->Warn(warning);
  };
  StreamRandom random("order of plans", request.seed);
  bool go_on = session.Prepare();
  for (std::int64_t repeat = 0; go_on && repeat < request.repeats; ++repeat) {
    go_on = RunRound(request, repeat, session, random, take);
  }
  if (collected) collected->Close();
  return result;
}

}  // namespace tandem
