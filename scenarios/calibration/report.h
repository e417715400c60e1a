// A calibration for people and programs: what `tandem compare` and `tandem validate` print.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scenarios/calibration/calibration.h"
#include "scenarios/calibration/pick.h"
#include "scenarios/calibration/trace.h"
#include "scenarios/scenario/profile_used.h"

namespace tandem {

// A whole model alone on a unit, while the plans ran.
struct ModelAlone {
  std::string unit, model;
  std::int64_t batch = 1;
  Nanos profiled{0}, measured{0};  // medians
  double error = 0;                // relative standard error of the measured one
  std::int64_t runs = 0;
};

struct CalibrationReport {
  std::string scenario;
  Objective objective = Objective::kMakespan;
  std::vector<PolicyCalibration> policies;
  WinnerCalibration winner;
  std::optional<PickCalibration> pick;  // where the measured best was asked for
  std::vector<SpanCalibration> spans;
  std::vector<LatencyCalibration> latencies;
  std::vector<MakespanDifference> differences;
  // By unit how many times as long as in its profile its work took while the plans ran, as its yardstick
  // says; predictions are of that. Units of which nothing is known are not there.
  std::map<std::string, double> state;
  std::vector<ModelAlone> alone;      // where they were measured; predictions are of what they took
  std::vector<ProfileUsed> profiles;  // of what was predicted; of two traces nobody knows them
  ToldBy told = ToldBy::kRuns;        // who was predicted to be best
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // of the predictions: ties, and makespans that arrivals set
  ErrorBars bars;
  std::optional<double> coverage;          // share of measured makespans in their predicted intervals
  std::optional<double> planned_coverage;  // the same of what was planned, where that is another prediction
};

// Of policies and latencies that are all there: every figure against its bar, the winner, the coverage.
void Judge(CalibrationReport& report);

// What the traces tell, beside policies and winner.
void AddTraces(const std::vector<MatchedRuns>& runs, CalibrationReport& report);

// The shape is that of docs/formats.md.
std::string CalibrationJson(const CalibrationReport& report);

// Tables that fit `width`, and the verdict.
std::string CalibrationText(const CalibrationReport& report, std::size_t width);
// A paragraph: was the winner named right, does it matter, how far off were the predictions?
std::string CalibrationVerdict(const CalibrationReport& report);

}  // namespace tandem
