// Room device/harness: plans run here, on real kernels, under the same dispatcher and policies as in the
// engines.
//
// Runs plans on this device: several in turn, each as often as is asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/energy/meter.h"
#include "device/harness/machine_watch.h"
#include "device/harness/units.h"
#include "device/host/child_program.h"
#include "device/host/clock_settings.h"
#include "device/processor/backend.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/exchange/run_order.h"

namespace tandem {

// What the harness has to know of the computer that it works on; tests have their own.
struct HarnessHost {
  FindBackend backend_of = BackendOf;
  std::string host;                              // HostText
  std::int64_t memory_bytes = 0;                 // 0: unknown
  std::map<std::string, std::string> libraries;  // that are here, by name
  ClockSources clocks;                           // where their settings are read, and the heat
  bool allow_commands = false;                   // plans' profiles may have one started that tells them
  Nanos pause{100'000'000};                      // between two runs
  Nanos look{500'000'000};              // between two looks at clocks and heat while one is under way
  std::shared_ptr<EnergyMeter> energy;  // null: no run's energy is measured
  MakeYardstick yardstick_of = YardstickOf;
  ReadTakenOf read_taken = [](auto cores, auto threads) { return ReadTaken(cores, threads); };
  Nanos patience{5'000'000'000};  // for a machine that is undisturbed, where a run has several tries
  // Called ten times a second while a run is under way; false: it is to end.
  std::function<bool(const std::string& what, std::int64_t done, std::int64_t total)> progress;
  // Starts the application of a stream of the plan at that place, where nobody manages the plan; without it
  // its streams take turns under the dispatcher.
  std::function<std::unique_ptr<ChildProgram>(std::size_t plan, const std::string& stream)> start_application;
  // Of a process that is such an application: waits until all are ready and says when time zero is, nothing:
  // there is no run any more; and waits until all have ended.
  std::function<std::optional<std::chrono::steady_clock::time_point>()> begins;
  std::function<void()> ended;
  // Told the result of each run that ended, where the request wants to know; the runs together then have
  // neither reports nor a trace.
  std::function<void(const RunAnswer&)> told;
};

// This machine, for these plans.
HarnessHost ThisHost(const std::vector<PlanFile>& plans);

// Why the plan's predictions do not hold here, a sentence each: profiles of another machine, of other library
// versions or of a named state of the clocks that reads otherwise now, of units that do run their kernels.
std::vector<std::string> WhyNotHere(const PlanFile& file, const HarnessHost& host);
// What else is not as it was when those profiles were measured, a sentence each: settings of clocks.
std::vector<std::string> WhatChanged(const PlanFile& file, const HarnessHost& host);
// What the plan's prediction has of the units and no backend here does, a sentence each.
// `follow`: requests read what those have made that they follow.
std::vector<std::string> WhatIsOtherwise(const PlanFile& file, bool follow = false);

// Throws InputError and EnvironmentError where not all of the plans can run here. Once they run, what ends a
// run early is in its result, and it is the last one.
RunAnswer RunPlans(const RunOrder& request, const HarnessHost& host);

// A line per plan: predicted, measured, how far apart.
std::string RunAnswerText(const RunOrder& request, const RunAnswer& result, std::size_t width);

}  // namespace tandem
