// What the draws of a report make of its figures: intervals that reach as far as these and as what other
// physics say, and medians in their place.
#include <algorithm>

#include "scenarios/report/draws.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

// Every figure of which a report's draws say something, with it those of one report or several of that run.
template <class Each, class... Reports>
void ForEachDrawn(Report& report, const Each& each, Reports&... of) {
  ReportDraws& draws = *report.draws;
  each(draws.makespan, of.makespan...);
  each(draws.throughput_per_s, of.throughput_per_s...);
  each(draws.missed, of.missed...);
  each(draws.energy_j, of.energy_j...);
  each(draws.energy_per_inference_j, of.energy_per_inference_j...);
  each(draws.latency, of.latency...);
  for (std::size_t s = 0; s < report.streams.size(); ++s) {
    StreamDraws& drawn = *report.streams[s].draws;
    each(drawn.throughput_per_s, of.streams[s].throughput_per_s...);
    each(drawn.missed, of.streams[s].missed...);
    each(drawn.latency, of.streams[s].latency...);
    each(drawn.end_to_end, of.streams[s].end_to_end...);
    each(drawn.age, of.streams[s].age...);
    each(drawn.slowdown, of.streams[s].slowdown...);
  }
  for (std::size_t u = 0; u < report.units.size(); ++u) {
    UnitDraws& drawn = *report.units[u].draws;
    each(drawn.busy, of.units[u].busy...);
    each(drawn.utilization, of.units[u].utilization...);
    each(drawn.energy_j, of.units[u].energy_j...);
  }
}

// What has draws and is no figure of which a run's median is taken.
template <class Each, class... Reports>
void ForEachBeside(Report& report, const Each& each, Reports&... of) {
  ReportDraws& draws = *report.draws;
  each(draws.objective, ObjectiveValue(of, report.objective)...);
  each(draws.slowdown, ObjectiveValue(of, Objective::kSlowdown)...);
  each(draws.balanced_gain, ObjectiveValue(of, Objective::kBalancedGain)...);
  each(draws.dropped, of.dropped...);
  each(draws.xrbench_overall, of.xrbench_overall...);
  for (std::size_t s = 0; s < report.streams.size(); ++s) {
    StreamDraws& drawn = *report.streams[s].draws;
    each(drawn.dropped, of.streams[s].dropped...);
    each(drawn.dropped_per_s, of.streams[s].dropped_per_s...);
    each(drawn.dropped_share, of.streams[s].dropped_share...);
    each(drawn.drop_age, of.streams[s].drop_age...);
    each(drawn.energy_above_idle_j, of.streams[s].energy_above_idle_j...);
    each(drawn.energy_above_idle_per_inference_j, of.streams[s].energy_above_idle_per_inference_j...);
    if (drawn.xrbench && (of.streams[s].xrbench && ...)) {
      each(drawn.xrbench->real_time, of.streams[s].xrbench->real_time...);
      each(drawn.xrbench->energy, of.streams[s].xrbench->energy...);
      each(drawn.xrbench->qoe, of.streams[s].xrbench->qoe...);
    }
    for (std::size_t i = 0; i < drawn.stages.size(); ++i) {
      if (((i >= of.streams[s].stages.size()) || ...)) break;
      each(drawn.stages[i].waiting, of.streams[s].stages[i].waiting...);
      each(drawn.stages[i].work, of.streams[s].stages[i].work...);
    }
  }
}

// A share stays one, by whatever physics.
void KeepShares(Report& report) {
  const auto keep = [](DrawnFigure<double>& share) { share.high = std::min(share.high, 1.0); };
  for (UnitReport& unit : report.units) keep(unit.draws->utilization);
  for (StreamReport& stream : report.streams) {
    keep(stream.draws->dropped_share);
    if (!stream.draws->xrbench) continue;
    keep(stream.draws->xrbench->real_time);
    keep(stream.draws->xrbench->qoe);
    if (stream.draws->xrbench->energy) keep(*stream.draws->xrbench->energy);
  }
  constexpr double kBestScore = 100;
  if (auto& overall = report.draws->xrbench_overall) overall->high = std::min(overall->high, kBestScore);
}

struct Covering {
  template <class Value>
  void operator()(DrawnFigure<Value>& drawn, const Value& figure) const {
    drawn.low = std::min(drawn.low, figure);
    drawn.high = std::max(drawn.high, figure);
  }
  void operator()(DrawnFigure<LatencySummary>& drawn, const LatencySummary& figure) const {
    for (const auto of : kFiguresOfLatency) {
      drawn.low.*of = std::min(drawn.low.*of, figure.*of);
      drawn.high.*of = std::max(drawn.high.*of, figure.*of);
    }
  }
  template <class Value>
  void operator()(std::optional<DrawnFigure<Value>>& drawn, const std::optional<Value>& figure) const {
    if (figure && drawn) (*this)(*drawn, *figure);
  }
};

// The interval as it would lie around the other figure, too.
struct Moving {
  template <class Value>
  void operator()(DrawnFigure<Value>& drawn, const Value& exact, const Value& fluid) const {
    drawn.low = std::max(Value{}, std::min(drawn.low, drawn.low + fluid - exact));
    drawn.high = std::max(drawn.high, drawn.high + fluid - exact);
  }
  void operator()(DrawnFigure<LatencySummary>& drawn, const LatencySummary& exact,
                  const LatencySummary& fluid) const {
    for (const auto of : kFiguresOfLatency) {
      DrawnFigure<Nanos> figure{drawn.low.*of, drawn.median.*of, drawn.high.*of};
      (*this)(figure, exact.*of, fluid.*of);
      drawn.low.*of = figure.low;
      drawn.high.*of = figure.high;
    }
  }
  template <class Value>
  void operator()(std::optional<DrawnFigure<Value>>& drawn, const std::optional<Value>& exact,
                  const std::optional<Value>& fluid) const {
    if (drawn && exact && fluid) (*this)(*drawn, *exact, *fluid);
  }
};

struct TakingMedians {
  template <class Value>
  void operator()(const DrawnFigure<Value>& drawn, Value& figure) const {
    figure = drawn.median;
  }
  template <class Value>
  void operator()(const std::optional<DrawnFigure<Value>>& drawn, std::optional<Value>& figure) const {
    if (drawn) figure = drawn->median;
  }
};

}  // namespace

void CoverFigures(Report& report) {
  if (!report.draws) return;
  const Covering covering;
  ForEachDrawn(report, covering, report);
  ForEachBeside(report, covering, report);
}

void AddContention(Report& report) {
  if (!report.draws || !report.other_physics) return;
  const Report &other = *report.other_physics, &exact = report.IsFluid() ? other : report,
               &fluid = report.IsFluid() ? report : other;
  const Moving moving;
  ForEachDrawn(report, moving, exact, fluid);
  ForEachBeside(report, moving, exact, fluid);
  KeepShares(report);
}

void TakeMedians(Report& report) {
  if (!report.draws) return;
  ForEachDrawn(report, TakingMedians{}, report);
  ForEachBeside(report, Covering{}, report);  // these stay as the run came out
  if (report.gap) report.gap = InSeconds(report.makespan) / InSeconds(*report.bound) - 1;
  for (LimitReport& limit : report.limits)
    limit.of_run.reset();  // judged by what are the report's own figures now
}

}  // namespace tandem
