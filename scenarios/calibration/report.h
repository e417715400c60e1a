// A calibration for people and programs: what `tandem compare` and `tandem validate` print.
#pragma once

#include <string>
#include <vector>

#include "scenarios/calibration/calibration.h"
#include "scenarios/calibration/trace.h"

namespace tandem {

struct CalibrationReport {
  std::string scenario;
  Objective objective = Objective::kMakespan;
  std::vector<PolicyCalibration> policies;
  WinnerCalibration winner;
  std::vector<SpanCalibration> spans;
  std::vector<LatencyCalibration> latencies;
  std::vector<MakespanDifference> differences;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // of the predictions: ties, and makespans that arrivals set
};

// What the traces tell, beside policies and winner.
void AddTraces(const std::vector<MatchedRuns>& runs, CalibrationReport& report);

// The shape is that of docs/formats.md.
std::string CalibrationJson(const CalibrationReport& report);

// Tables that fit `width`, and the verdict.
std::string CalibrationText(const CalibrationReport& report, std::size_t width);
// A paragraph: was the winner named right, does it matter, how far off were the predictions?
std::string CalibrationVerdict(const CalibrationReport& report);

}  // namespace tandem
