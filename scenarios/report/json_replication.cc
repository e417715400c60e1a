#include <limits>
#include <optional>

#include "scenarios/report/json_fields.h"

namespace tandem {
namespace {

template <double Interval::*kBound>
std::optional<double> BoundOf(const Estimate& estimate) {
  return estimate.interval ? std::optional((*estimate.interval).*kBound) : std::nullopt;
}

CodecOf<std::optional<Estimate>> EstimateOrNull() {
  constexpr double kLowest = std::numeric_limits<double>::lowest();
  static const auto fields =
      Fields<Estimate>("report_estimate",
                       "A value and its confidence interval, null where there are too few runs for one.")
          .Needed("value", &Estimate::value, as::Number(kLowest))
          .Says("low", as::OrNull(as::Number(kLowest)), BoundOf<&Interval::low>)
          .Says("high", as::OrNull(as::Number(kLowest)), BoundOf<&Interval::high>);
  return as::OrNull(as::ObjectOf(fields));
}

const Fields<ReplicationReport>& ReplicationLatencyFields() {
  using R = ReplicationReport;
  static const auto fields =
      Fields<R>("report_replicated_latency", "The median over the runs of their percentile.")
          .Needed("p50", &R::p50, EstimateOrNull())
          .Needed("p90", &R::p90, EstimateOrNull())
          .Needed("p95", &R::p95, EstimateOrNull())
          .Needed("p99", &R::p99, EstimateOrNull());
  return fields;
}

template <class Value, Value Standing::*kMember>
std::optional<Value> StandingOf(const ReplicationReport& all) {
  return all.standing ? std::optional<Value>((*all.standing).*kMember) : std::nullopt;
}
template <class Value, std::optional<Value> Standing::*kMember>
std::optional<Value> KnownOf(const ReplicationReport& all) {
  return all.standing ? (*all.standing).*kMember : std::nullopt;
}

ReplicationReport Itself(const ReplicationReport& all) { return all; }

}  // namespace

const Fields<ReplicationReport>& ReplicationFields() {
  using R = ReplicationReport;
  static const auto fields =
      Fields<R>("report_replications",
                "Of all runs of --replications; everything beside it is the first run's.")
          .Needed("runs", &R::runs, as::Integer(1))
          .Needed("interval", &R::probability, as::Number(0, 1), "The probability of its intervals.")
          .Needed("samples_drawn", &R::samples_drawn, as::Boolean(),
                  "Times were drawn from the profiles' samples.")
          .Needed("objective", &R::objective, EstimateOrNull(), "The mean over the runs.")
          .Needed("makespan_ns", &R::makespan, EstimateOrNull(),
                  "As of the following, the mean over the runs.")
          .Needed("throughput_per_s", &R::throughput_per_s, EstimateOrNull())
          .Needed("missed", &R::missed, EstimateOrNull())
          .Needed("energy_j", &R::energy_j, EstimateOrNull())
          .Says("latency_ns", as::ObjectOf(ReplicationLatencyFields()), Itself)
          .Says("win_probability", as::OrNull(as::Number(0, 1)), KnownOf<double, &Standing::win_probability>,
                "In what share of the runs none was better; null of one run.")
          .Says("tied", as::OrNull(as::Boolean()), KnownOf<bool, &Standing::tied>,
                "Not told apart from the policy with the best mean; null of one run, which tells nothing.")
          .Says("behind_best", EstimateOrNull(), StandingOf<Estimate, &Standing::difference>,
                "Of the objective, run by run.");
  return fields;
}

}  // namespace tandem
