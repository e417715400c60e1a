// The options --bar, --strict and --interval of the commands that hold predictions against measurements.
#pragma once

#include <algorithm>
#include <cstdint>
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
    if (bar >= 0) bars.figure = bar / 100;
    bars.probability = interval / 100;
    return bars;
  }
};

inline void AddBars(Command& command, BarOptions& options) {
  command.Add("--bar", &options.bar, "percent that predicted makespans may be off (9)")
      .RealRange(0.0, 1000.0);
  command.Flag("--strict", &options.strict,
               "hold them to the bar, and miss it also where so many runs cannot tell");
  command.Add("--interval", &options.interval, "probability of all intervals in percent (90)")
      .RealRange(50.0, 99.9);
}

// Says on standard error of which makespans the bar that was asked for cannot tell: noise is no success.
inline void TellUnknown(const BarOptions& options, const CalibrationReport& report) {
  std::vector<std::string> labels;
  std::int64_t needed = 0;
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.of_makespan.verdict != BarVerdict::kUnknown) continue;
    labels.push_back(policy.label);
    needed = std::max(needed, policy.of_makespan.runs_needed.value_or(0));
  }
  if (!options.asked() || labels.empty()) return;
  WriteError("tandem: so many runs cannot tell whether these are within " +
             PercentInTenths(report.bars.figure) + ": " + Joined(labels) +
             (needed > 0 ? " (about " + std::to_string(needed) + " runs would)" : "") + "\n");
}

// Was a bar asked for, and is a policy's makespan outside it, for sure unless that is asked strictly?
inline bool MissesBar(const BarOptions& options, const CalibrationReport& report) {
  return options.asked() &&
         std::any_of(report.policies.begin(), report.policies.end(), [&](const PolicyCalibration& policy) {
           const BarVerdict verdict = policy.of_makespan.verdict;
           return verdict == BarVerdict::kOutside || (options.strict && verdict == BarVerdict::kUnknown);
         });
}

}  // namespace tandem
