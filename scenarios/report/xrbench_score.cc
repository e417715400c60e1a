#include "scenarios/report/xrbench_score.h"

#include <algorithm>

#include "profiles/base/figures.h"
#include "scenarios/arrivals/elementary.h"

namespace tandem {
namespace {

constexpr double kSteepness = 15;  // per millisecond
constexpr double kMostMillijoules = 1500;

double RealTime(const StreamOutcome& outcome, Nanos deadline) {
  double sum = 0;
  for (const Nanos latency : outcome.latencies) {
    const double delay_ms = InMillis(latency - deadline);
    sum += 1 / (1 + Exp(kSteepness * delay_ms));
  }
  return outcome.completed() > 0 ? sum / static_cast<double>(outcome.completed()) : 0;
}

double EnergyScore(double joules) {
  return std::clamp((kMostMillijoules - joules * 1000) / kMostMillijoules, 0.0, 1.0);
}

}  // namespace

std::vector<std::optional<XrbenchScore>> XrbenchScores(const Scenario& scenario, const Outcome& outcome,
                                                       std::optional<double> energy_per_inference) {
  std::vector<std::optional<XrbenchScore>> scores(scenario.streams.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Stream& stream = scenario.streams[i];
    const StreamOutcome& of_stream = outcome.streams[i];
    const std::int64_t ended = of_stream.completed() + of_stream.dropped;
    if (!stream.deadline || ended == 0) continue;
    XrbenchScore score;
    score.real_time = RealTime(of_stream, *stream.deadline);
    if (energy_per_inference) score.energy = EnergyScore(*energy_per_inference);
    score.qoe = 1 - static_cast<double>(of_stream.dropped) / static_cast<double>(ended);
    scores[i] = score;
  }
  return scores;
}

std::optional<double> XrbenchOverall(const std::vector<std::optional<XrbenchScore>>& scores) {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& score : scores) {
    if (!score) continue;
    sum += score->model() * score->qoe;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return 100 * (sum / static_cast<double>(count));
}

}  // namespace tandem
