// Policies with what was predicted and measured of them, for tests of how predictions are judged.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/calibration/report.h"

namespace tandem {

// Objective and makespan alike.
inline PolicyCalibration MeasuredPolicy(const std::string& label, std::int64_t predicted,
                                        const std::vector<std::int64_t>& measured) {
  PolicyCalibration policy;
  policy.policy = policy.label = label;
  policy.predicted = Nanos{predicted};
  policy.predicted_objective = static_cast<double>(predicted);
  std::int64_t round = 0;
  for (const std::int64_t run : measured) {
    policy.runs.push_back({Nanos{run}, static_cast<double>(run), {}, round++});
  }
  return policy;
}

// The same, each run beyond the scenario's limits by so much.
inline PolicyCalibration LimitedPolicy(const std::string& label, std::int64_t predicted,
                                       const std::vector<std::int64_t>& measured,
                                       const std::vector<double>& excess) {
  PolicyCalibration policy = MeasuredPolicy(label, predicted, measured);
  for (std::size_t run = 0; run < excess.size(); ++run) policy.runs[run].excess = excess[run];
  return policy;
}

inline CalibrationReport JudgedReport(std::vector<PolicyCalibration> policies) {
  CalibrationReport report;
  report.policies = std::move(policies);
  Judge(report);
  return report;
}

}  // namespace tandem
