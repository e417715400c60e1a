#include "scenarios/report/json.h"

#include "profiles/base/json_write.h"

namespace tandem {
namespace {

std::string Integer(std::int64_t value) { return std::to_string(value); }
std::string Integer(Nanos value) { return std::to_string(value.count()); }
std::string Boolean(bool value) { return value ? "true" : "false"; }

std::string NumberOrNull(std::optional<double> value) { return value ? JsonNumber(*value) : "null"; }
std::string TextOrNull(std::string_view text) { return text.empty() ? "null" : JsonString(text); }

std::string LatencyJson(const std::optional<LatencySummary>& latency) {
  const auto of = [&](Nanos LatencySummary::*figure) {
    return latency ? Integer((*latency).*figure) : "null";
  };
  return JsonObject()
      .Add("mean", of(&LatencySummary::mean))
      .Add("p50", of(&LatencySummary::p50))
      .Add("p90", of(&LatencySummary::p90))
      .Add("p95", of(&LatencySummary::p95))
      .Add("p99", of(&LatencySummary::p99))
      .Add("max", of(&LatencySummary::max))
      .Text();
}

std::string Joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += between;
    joined += text;
  }
  return joined;
}

// "99.00_percentile", as LoadGen writes it.
std::string PercentileKey(std::int64_t hundredths) {
  const std::string decimals = std::to_string(hundredths % 100);
  return "result_" + std::to_string(hundredths / 100) + "." + std::string(2 - decimals.size(), '0') +
         decimals + "_percentile_latency_ns";
}

// LoadGen's own log keys, and how many queries its percentile needs.
std::string LoadgenJson(const LoadgenVerdict& verdict) {
  const auto& latency = verdict.latency;
  const auto of = [&](Nanos LoadgenVerdict::Latency::*figure) {
    return latency ? Integer((*latency).*figure) : "null";
  };
  JsonObject json;
  json.AddString("scenario", NameOf(kLoadgenScenarioNames, verdict.scenario))
      .AddString("result_validity", verdict.valid() ? "VALID" : "INVALID")
      .Add("result_invalid_reason", TextOrNull(Joined(verdict.invalid_reasons, "; ")))
      .Add("result_min_duration_met", Boolean(verdict.min_duration_met))
      .Add("result_min_queries_met", Boolean(verdict.min_queries_met))
      .Add("result_perf_constraints_met", Boolean(verdict.perf_constraints_met))
      .Add("result_query_count", Integer(verdict.query_count))
      .Add("result_overlatency_query_count", Integer(verdict.overlatency_query_count))
      .Add("result_min_latency_ns", of(&LoadgenVerdict::Latency::min))
      .Add("result_mean_latency_ns", of(&LoadgenVerdict::Latency::mean))
      .Add("result_max_latency_ns", of(&LoadgenVerdict::Latency::max))
      .Add(PercentileKey(verdict.percentile), of(&LoadgenVerdict::Latency::percentile))
      .Add("result_qps_with_loadgen_overhead", JsonNumber(verdict.qps))
      .Add("result_completed_samples_per_sec", JsonNumber(verdict.completed_samples_per_s));
  if (verdict.scenario == LoadgenScenario::kServer) {
    json.Add("result_scheduled_samples_per_sec", JsonNumber(verdict.scheduled_samples_per_s));
  }
  if (verdict.scenario == LoadgenScenario::kSingleStream && latency && latency->mean > Nanos{0}) {
    json.Add("result_qps_without_loadgen_overhead",
             JsonNumber(1e9 / static_cast<double>(latency->mean.count())));
  }
  return json.Add("percentile_queries_needed", Integer(verdict.percentile_samples_needed)).Text();
}

std::string XrbenchJson(const XrbenchScore& score) {
  return JsonObject()
      .Add("real_time", JsonNumber(score.real_time))
      .Add("energy", NumberOrNull(score.energy))
      .Add("qoe", JsonNumber(score.qoe))
      .Text();
}

std::string StreamJson(const StreamReport& stream) {
  JsonObject json;
  json.AddString("name", stream.name)
      .Add("completed", Integer(stream.completed))
      .Add("dropped", Integer(stream.dropped))
      .Add("missed", Integer(stream.missed))
      .Add("first_release_ns", Integer(stream.first_release))
      .Add("last_completion_ns", Integer(stream.last_completion))
      .Add("throughput_per_s", JsonNumber(stream.throughput_per_s))
      .Add("latency_ns", LatencyJson(stream.latency))
      .Add("released", Integer(stream.released));
  if (stream.loadgen) json.Add("loadgen", LoadgenJson(*stream.loadgen));
  if (stream.xrbench) json.Add("xrbench", XrbenchJson(*stream.xrbench));
  return json.Text();
}

std::string UnitJson(const UnitReport& unit) {
  return JsonObject()
      .AddString("name", unit.name)
      .Add("busy_ns", Integer(unit.busy))
      .Add("utilization", JsonNumber(unit.utilization))
      .Add("tasks", Integer(unit.tasks))
      .Add("energy_j", NumberOrNull(unit.energy_j))
      .Text();
}

std::string ResidentsJson(const std::vector<UnitResidents>& residents) {
  JsonObject json;
  for (const UnitResidents& unit : residents) json.Add(unit.unit, JsonStrings(unit.models));
  return json.Text();
}

std::string ObjectiveJson(const Report& report) {
  return JsonObject()
      .AddString("name", NameOf(kObjectiveNames, report.objective))
      .Add("value", NumberOrNull(ObjectiveValue(report, report.objective)))
      .AddString("unit", ObjectiveUnit(report.objective))
      .AddString("better", HigherIsBetter(report.objective) ? "higher" : "lower")
      .Text();
}

// One a line, since a scenario may have many.
template <class Item>
std::string Lines(const std::vector<Item>& items, std::string (*json)(const Item&)) {
  std::string lines;
  for (const Item& item : items) lines += (lines.empty() ? "\n   " : ",\n   ") + json(item);
  return "[" + lines + "]";
}

// `members` without their braces, a line of their own.
std::string Line(const JsonObject& members) {
  const std::string text = members.Text();
  return text.substr(1, text.size() - 2) + ",\n  ";
}

std::string Head(const Report& report) {
  JsonObject json;
  json.AddString("tandem", "report/1")
      .AddString("policy", report.policy)
      .AddString("label", report.label)
      .AddString("engine", report.engine);
  if (report.granularity) json.AddString("granularity", NameOf(kGranularityNames, *report.granularity));
  json.Add("clairvoyant", Boolean(report.clairvoyant))
      .Add("seed", std::to_string(report.seed))
      .Add("complete", Boolean(report.complete));
  return Line(json);
}

std::string Figures(const Report& report) {
  const std::string bound = report.bound ? Integer(*report.bound) : "null";
  return Line(JsonObject()
                  .Add("makespan_ns", Integer(report.makespan))
                  .Add("throughput_per_s", JsonNumber(report.throughput_per_s))
                  .Add("bound_ns", bound)
                  .Add("bound_why", TextOrNull(report.bound_why))
                  .Add("gap", NumberOrNull(report.gap)));
}

std::string EnergyFigures(const Report& report) {
  return Line(JsonObject()
                  .Add("energy_j", NumberOrNull(report.energy_j))
                  .Add("energy_per_inference_j", NumberOrNull(report.energy_per_inference_j))
                  .Add("energy_why", TextOrNull(report.energy_why))
                  .Add("estimated", JsonStrings(report.estimated)));
}

std::string Totals(const Report& report) {
  return Line(JsonObject()
                  .Add("objective", ObjectiveJson(report))
                  .Add("released", Integer(report.released))
                  .Add("completed", Integer(report.completed))
                  .Add("dropped", Integer(report.dropped))
                  .Add("missed", Integer(report.missed))
                  .Add("inferences", Integer(report.inferences)));
}

std::string Verdicts(const Report& report) {
  std::string text = Line(JsonObject().Add("latency_ns", LatencyJson(report.latency)));
  if (report.xrbench_overall) {
    text += Line(
        JsonObject().Add("xrbench", JsonObject().Add("overall", JsonNumber(*report.xrbench_overall)).Text()));
  }
  if (!report.residents.empty()) text += Line(JsonObject().Add("residents", ResidentsJson(report.residents)));
  return text;
}

std::string EstimateJson(const std::optional<Estimate>& estimate) {
  if (!estimate) return "null";
  const auto& interval = estimate->interval;
  return JsonObject()
      .Add("value", JsonNumber(estimate->value))
      .Add("low", interval ? JsonNumber(interval->low) : "null")
      .Add("high", interval ? JsonNumber(interval->high) : "null")
      .Text();
}

std::string ReplicationsJson(const Report& report) {
  if (!report.replications) return {};
  const ReplicationReport& all = *report.replications;
  const std::string latency = JsonObject()
                                  .Add("p50", EstimateJson(all.p50))
                                  .Add("p90", EstimateJson(all.p90))
                                  .Add("p95", EstimateJson(all.p95))
                                  .Add("p99", EstimateJson(all.p99))
                                  .Text();
  JsonObject json;
  json.Add("runs", Integer(all.runs))
      .Add("samples_drawn", Boolean(all.samples_drawn))
      .Add("objective", EstimateJson(all.objective))
      .Add("latency_ns", latency)
      .Add("win_probability", all.standing ? JsonNumber(all.standing->win_probability) : "null")
      .Add("tied", all.standing ? Boolean(all.standing->tied) : "null")
      .Add("behind_best", all.standing ? EstimateJson(all.standing->difference) : "null");
  return Line(JsonObject().Add("replications", json.Text()));
}

}  // namespace

std::string ReportJson(const Report& report) {
  return " {" + Head(report) + Figures(report) + EnergyFigures(report) + Totals(report) + Verdicts(report) +
         ReplicationsJson(report) + "\"streams\": " + Lines(report.streams, StreamJson) +
         ",\n  \"units\": " + Lines(report.units, UnitJson) + "}";
}

std::string ReportsJson(const std::vector<Report>& reports) {
  std::string list;
  for (const Report& report : reports) list += (list.empty() ? "\n" : ",\n") + ReportJson(report);
  return "[" + list + "\n]\n";
}

}  // namespace tandem
