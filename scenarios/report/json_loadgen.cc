#include <cstdint>
#include <optional>
#include <string>

#include "profiles/base/joined.h"
#include "scenarios/report/json_fields.h"

namespace tandem {
namespace {

template <Nanos LoadgenVerdict::Latency::*kFigure>
std::optional<Nanos> VerdictLatency(const LoadgenVerdict& verdict) {
  return verdict.latency ? std::optional((*verdict.latency).*kFigure) : std::nullopt;
}

std::string Validity(const LoadgenVerdict& verdict) { return verdict.valid() ? "VALID" : "INVALID"; }

std::string InvalidReason(const LoadgenVerdict& verdict) { return Joined(verdict.invalid_reasons, "; "); }

// "99.00_percentile", as LoadGen writes it.
std::string PercentileKey(const LoadgenVerdict& verdict) {
  const std::string decimals = std::to_string(verdict.percentile % 100);
  return "result_" + std::to_string(verdict.percentile / 100) + "." + std::string(2 - decimals.size(), '0') +
         decimals + "_percentile_latency_ns";
}

std::optional<double> ScheduledSamples(const LoadgenVerdict& verdict) {
  if (verdict.scenario != LoadgenScenario::kServer) return std::nullopt;
  return verdict.scheduled_samples_per_s;
}

std::optional<double> QpsWithoutOverhead(const LoadgenVerdict& verdict) {
  const auto& latency = verdict.latency;
  if (verdict.scenario != LoadgenScenario::kSingleStream || !latency || latency->mean <= Nanos{0}) {
    return std::nullopt;
  }
  return 1e9 / static_cast<double>(latency->mean.count());
}

}  // namespace

const Fields<LoadgenVerdict>& LoadgenFields() {
  using V = LoadgenVerdict;
  using L = LoadgenVerdict::Latency;
  const auto time = as::OrNull(as::WholeNanos());
  static const auto fields =
      Fields<V>("report_loadgen")
          .Needed("scenario", &V::scenario, as::OneOf(kLoadgenScenarioNames, "scenario"))
          .Says("result_validity", as::WordOf({"VALID", "INVALID"}), Validity)
          .Says("result_invalid_reason", as::TextOrNull(), InvalidReason)
          .Needed("result_min_duration_met", &V::min_duration_met, as::Boolean())
          .Needed("result_min_queries_met", &V::min_queries_met, as::Boolean())
          .Needed("result_perf_constraints_met", &V::perf_constraints_met, as::Boolean())
          .Needed("result_query_count", &V::query_count, Count())
          .Needed("result_overlatency_query_count", &V::overlatency_query_count, Count())
          .Says("result_min_latency_ns", time, VerdictLatency<&L::min>)
          .Says("result_mean_latency_ns", time, VerdictLatency<&L::mean>)
          .Says("result_max_latency_ns", time, VerdictLatency<&L::max>)
          .Says("^result_[0-9]{1,2}\\.[0-9]{2}_percentile_latency_ns$", PercentileKey, time,
                VerdictLatency<&L::percentile>)
          .Needed("result_qps_with_loadgen_overhead", &V::qps, Figure())
          .Needed("result_completed_samples_per_sec", &V::completed_samples_per_s, Figure())
          .MaySay("result_scheduled_samples_per_sec", Figure(), ScheduledSamples)
          .MaySay("result_qps_without_loadgen_overhead", Figure(), QpsWithoutOverhead)
          .Needed("percentile_queries_needed", &V::percentile_samples_needed, Count());
  return fields;
}

}  // namespace tandem
