#include "sim/study/sampled_latencies.h"

#include <algorithm>
#include <vector>

#include "policies/engine/sampled_times.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/statistics.h"
#include "scenarios/report/latency_summary.h"

namespace tandem {
namespace {

constexpr std::uint64_t kRuns = 21;

std::optional<LatencySummary> RunOnce(const PreparedRun& before, std::uint64_t draw) {
  const Scenario& scenario = before.problem->scenario();
  PolicySpec spec = *before.spec;
  if (before.policy->decisions()) spec.decided = std::make_shared<Decisions>(*before.policy->decisions());
  const PreparedRun run = Prepare(scenario, spec);
  const SampledTimes times(*run.problem, draw);
  if (!times.any()) return std::nullopt;
  RunOptions options;
  options.work_time = [&](const Task& task, UnitId unit, bool mapped) {
    return times.Work(task, unit, mapped);
  };
  Outcome outcome = RunVirtual(*run.problem, *run.policy, options);
  std::vector<const std::deque<Nanos>*> sorted;
  for (StreamOutcome& stream : outcome.streams) {
    std::sort(stream.latencies.begin(), stream.latencies.end());
    sorted.push_back(&stream.latencies);
  }
  return Summarize(sorted);
}

}  // namespace

std::optional<LatencyFigures> SampledLatencies(const PreparedRun& run) {
  constexpr std::array<Nanos LatencySummary::*, kLatencyFigures.size()> kFigures = {
      &LatencySummary::p50, &LatencySummary::p90, &LatencySummary::p95, &LatencySummary::p99};
  std::array<std::vector<Nanos>, kLatencyFigures.size()> values;
  for (std::uint64_t draw = 0; draw < kRuns; ++draw) {
    const auto summary = RunOnce(run, draw);
    if (!summary) return std::nullopt;
    for (std::size_t f = 0; f < values.size(); ++f) values[f].push_back((*summary).*kFigures[f]);
  }
  LatencyFigures figures{};
  for (std::size_t f = 0; f < values.size(); ++f) figures[f] = LowerMedian(values[f]);
  return figures;
}

}  // namespace tandem
