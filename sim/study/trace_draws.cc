#include "sim/study/trace_draws.h"

namespace tandem {
namespace {

TraceFigure FigureOf(const DrawnFigure<double>& drawn) { return {drawn.low, drawn.median, drawn.high}; }

TraceFigure FigureOf(const DrawnFigure<Nanos>& drawn) {
  const auto number = [](Nanos time) { return static_cast<double>(time.count()); };
  return {number(drawn.low), number(drawn.median), number(drawn.high)};
}

TraceLatencies LatenciesOf(const DrawnFigure<LatencySummary>& drawn) {
  const auto figure = [&](Nanos LatencySummary::*of) {
    return FigureOf(DrawnFigure<Nanos>{drawn.low.*of, drawn.median.*of, drawn.high.*of});
  };
  using L = LatencySummary;
  return {figure(&L::mean), figure(&L::p50), figure(&L::p90), figure(&L::p95), figure(&L::p99)};
}

}  // namespace

TraceDraws DrawsForTrace(const std::vector<Report>& reports) {
  TraceDraws draws;
  for (const Report& report : reports) {
    if (!report.draws || !report.interval_why.empty()) continue;
    const ReportDraws& drawn = *report.draws;
    draws.objective = report.objective;
    draws.probability = drawn.probability;
    TraceDrawn of{report.label, FigureOf(drawn.makespan), {}, {}, drawn.win_probability};
    if (drawn.objective) of.objective = FigureOf(*drawn.objective);
    if (drawn.latency) of.latency = LatenciesOf(*drawn.latency);
    draws.policies.push_back(std::move(of));
  }
  return draws;
}

}  // namespace tandem
