// The options --bar and --interval of the commands that hold predictions against measurements.
#pragma once

#include <algorithm>

#include "profiles/program/command_line.h"
#include "scenarios/calibration/report.h"

namespace tandem {

struct BarOptions {
  double bar = -1;  // percent; below 0: none was asked for
  double interval = 90;

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
  command.Add("--interval", &options.interval, "probability of all intervals in percent (90)")
      .RealRange(50.0, 99.9);
}

// Was a bar asked for, and is a policy's makespan outside it for sure?
inline bool MissesBar(const BarOptions& options, const CalibrationReport& report) {
  return options.bar >= 0 &&
         std::any_of(report.policies.begin(), report.policies.end(),
                     [](const auto& policy) { return policy.of_makespan.verdict == BarVerdict::kOutside; });
}

}  // namespace tandem
