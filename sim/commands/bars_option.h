// The options --bar, --strict and --interval of the commands that hold predictions against measurements.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/program/command_line.h"
#include "scenarios/calibration/report.h"

namespace tandem {

struct BarOptions {
  double bar = -1;  // percent; below 0: none was asked for
  double interval = 90;
  bool strict = false;

  bool asked() const { return bar >= 0 || strict; }
  ErrorBars bars() const {
    ErrorBars bars;
    if (bar >= 0) bars.figure = bars.percentile = bar / 100;
    bars.probability = interval / 100;
    return bars;
  }
};

inline void AddBars(Command& command, BarOptions& options) {
  command.Add("--bar", &options.bar, "percent that predictions may be off (9; percentiles 15)")
      .RealRange(0.0, 1000.0);
  command.Flag("--strict", &options.strict,
               "hold them to the bar, and miss it also where so many runs cannot tell");
  command.Add("--interval", &options.interval, "probability of all intervals in percent (90)")
      .RealRange(50.0, 99.9);
}

// What of a policy is held to the bar: its makespan, and the objective where that is another.
inline std::vector<const Judgement*> HeldToBar(const CalibrationReport& report,
                                               const PolicyCalibration& policy) {
  std::vector<const Judgement*> held = {&policy.of_makespan};
  if (report.objective != Objective::kMakespan) held.push_back(&policy.of_objective);
  return held;
}

// Says on standard error of whom the bar that was asked for cannot tell: noise is no success.
inline void TellUnknown(const BarOptions& options, const CalibrationReport& report) {
  std::vector<std::string> labels;
  std::vector<const Judgement*> judged;
  for (const PolicyCalibration& policy : report.policies) {
    bool unknown = false;
    for (const Judgement* const held : HeldToBar(report, policy)) {
      unknown = unknown || held->verdict == BarVerdict::kUnknown;
      judged.push_back(held);
    }
    if (unknown) labels.push_back(policy.label);
  }
  if (!options.asked() || labels.empty()) return;
  WriteError("tandem: so many runs cannot tell whether these are within " +
             PercentInTenths(report.bars.figure) + ": " + Joined(labels) + NeededText(judged) + "\n");
}

// Was a bar asked for, and is a policy outside it, for sure unless that is asked strictly?
inline bool MissesBar(const BarOptions& options, const CalibrationReport& report) {
  const auto misses = [&](const Judgement* judged) {
    return judged->verdict == BarVerdict::kOutside ||
           (options.strict && judged->verdict == BarVerdict::kUnknown);
  };
  return options.asked() &&
         std::any_of(report.policies.begin(), report.policies.end(), [&](const PolicyCalibration& policy) {
           const auto held = HeldToBar(report, policy);
           return std::any_of(held.begin(), held.end(), misses);
         });
}

}  // namespace tandem
