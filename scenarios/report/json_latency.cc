#include <optional>
#include <vector>

#include "scenarios/report/json_draws.h"
#include "scenarios/report/json_fields.h"

namespace tandem {
namespace {

template <Nanos LatencySummary::*kFigure>
std::optional<Nanos> LatencyOf(const Latency& latency) {
  return latency ? std::optional((*latency).*kFigure) : std::nullopt;
}

template <Nanos LatencySummary::*kFigure>
std::vector<Nanos> LatencyEnds(const DrawnFigure<LatencySummary>& latency) {
  return {latency.low.*kFigure, latency.high.*kFigure};
}

}  // namespace

const Fields<Latency>& LatencyFields() {
  using S = LatencySummary;
  const auto time = as::OrNull(as::WholeNanos());
  static const auto fields = Fields<Latency>("report_latency",
                                             "Nearest-rank percentiles; the mean to the nearest nanosecond, "
                                             "halves up. Null where nothing completed.")
                                 .Says("mean", time, LatencyOf<&S::mean>)
                                 .Says("p50", time, LatencyOf<&S::p50>)
                                 .Says("p90", time, LatencyOf<&S::p90>)
                                 .Says("p95", time, LatencyOf<&S::p95>)
                                 .Says("p99", time, LatencyOf<&S::p99>)
                                 .Says("max", time, LatencyOf<&S::max>);
  return fields;
}

CodecOf<DrawnFigure<LatencySummary>> LatencyInterval() {
  using S = LatencySummary;
  const auto ends = IntervalOf(as::WholeNanos());
  static const auto fields =
      Fields<DrawnFigure<S>>("report_latency_interval", "Of each figure its interval: [low, high].")
          .Says("mean", ends, LatencyEnds<&S::mean>)
          .Says("p50", ends, LatencyEnds<&S::p50>)
          .Says("p90", ends, LatencyEnds<&S::p90>)
          .Says("p95", ends, LatencyEnds<&S::p95>)
          .Says("p99", ends, LatencyEnds<&S::p99>)
          .Says("max", ends, LatencyEnds<&S::max>);
  return as::ObjectOf(fields);
}

}  // namespace tandem
