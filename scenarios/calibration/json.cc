#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"
#include "scenarios/calibration/report.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

void AddTime(const TimeError& time, Json& json) {
  json["predicted_ns"] = time.predicted.count();
  json["measured_ns"] = time.measured.count();
  json["error"] = OrNull(time.error);
}

Json PolicyJsonOf(const PolicyCalibration& policy) {
  const auto makespan = policy.makespan();
  Json runs = Json::array();
  for (const PolicyCalibration::Run& run : policy.runs) runs.push_back(run.makespan.count());
  return {{"policy", policy.policy},
          {"label", policy.label},
          {"predicted_ns", policy.predicted.count()},
          {"measured_ns", makespan ? Json(makespan->measured.count()) : Json()},
          {"runs_ns", std::move(runs)},
          {"error", makespan ? OrNull(makespan->error) : Json()},
          {"spread", makespan ? OrNull(makespan->spread) : Json()},
          {"correct", OrNull(policy.correct)},
          {"predicted", OrNull(policy.predicted_objective)},
          {"measured", OrNull(policy.measured_objective())},
          {"objective_spread", OrNull(policy.objective_spread())},
          {"predicted_energy_j", OrNull(policy.predicted_joules)},
          {"measured_energy_j", OrNull(policy.measured_joules())},
          {"energy_error", OrNull(policy.joules_error())},
          {"beside", policy.beside},
          {"cut_short", policy.cut_short}};
}

Json WinnerJson(const CalibrationReport& report) {
  const WinnerCalibration& winner = report.winner;
  const auto label = [&](std::optional<std::size_t> position) {
    return position ? Json(report.policies[*position].label) : Json();
  };
  return {{"predicted", label(winner.predicted)},
          {"measured", label(winner.measured)},
          {"regret", OrNull(winner.regret)},
          {"kendall_tau", OrNull(winner.kendall_tau)},
          {"pairs", winner.pairs},
          {"spread", winner.spread},
          {"wrong", winner.wrong}};
}

Json SpanJson(const SpanCalibration& span) {
  Json json = {{"model", span.segment.model}};
  if (span.kind == SpanKind::kCompute) {
    json["layers"] = span.segment.layers.empty() ? Json("*") : Json(span.segment.layers);
    if (const auto& part = span.segment.part) {
      json["part"] = {
          {"axis", NameOf(kSplitAxisNames, part->axis)}, {"first", part->first}, {"end", part->end}};
    }
  }
  if (span.kind == SpanKind::kTransfer) {
    json["tensor"] = span.tensor;
    json["from"] = span.from;
    json["to"] = span.to;
  }
  json["unit"] = span.unit.empty() ? Json() : Json(span.unit);
  AddTime(span.time, json);
  json["spread"] = OrNull(span.time.spread);
  json["predicted_count"] = span.predicted_count;
  json["measured_count"] = span.measured_count;
  return json;
}

Json SpansJson(const CalibrationReport& report, SpanKind kind) {
  Json list = Json::array();
  for (const SpanCalibration& span : report.spans) {
    if (span.kind == kind) list.push_back(SpanJson(span));
  }
  return list;
}

Json PercentilesJson(const CalibrationReport& report) {
  Json list = Json::array();
  for (const LatencyCalibration& latency : report.latencies) {
    Json json = {{"label", latency.label}};
    for (std::size_t f = 0; f < kLatencyFigures.size(); ++f) {
      Json& figure = json[std::string(kLatencyFigures[f])];
      AddTime(latency.figures[f], figure);
      figure["spread"] = OrNull(latency.figures[f].spread);
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json SourcesJson(const CalibrationReport& report) {
  Json list = Json::array();
  for (const MakespanDifference& difference : report.differences) {
    Json units = Json::array();
    for (const UnitDifference& unit : difference.units) {
      units.push_back({{"unit", unit.unit},
                       {"slots", unit.slots},
                       {"compute_ns", unit.compute.count()},
                       {"transfer_ns", unit.transfer.count()},
                       {"load_ns", unit.load.count()},
                       {"waiting_ns", unit.waiting.count()},
                       {"idle_ns", unit.idle.count()}});
    }
    list.push_back({{"label", difference.label},
                    {"makespan_ns", difference.makespan.count()},
                    {"units", std::move(units)}});
  }
  return list;
}

}  // namespace

std::string CalibrationJson(const CalibrationReport& report) {
  Json json = {{"tandem", "calibration/1"},
               {"scenario", report.scenario},
               {"objective", NameOf(kObjectiveNames, report.objective)},
               {"policies", Json::array()}};
  for (const PolicyCalibration& policy : report.policies) json["policies"].push_back(PolicyJsonOf(policy));
  json["winner"] = WinnerJson(report);
  json["layers"] = SpansJson(report, SpanKind::kCompute);
  json["transfers"] = SpansJson(report, SpanKind::kTransfer);
  json["loads"] = SpansJson(report, SpanKind::kLoad);
  json["percentiles"] = PercentilesJson(report);
  json["sources"] = SourcesJson(report);
  json["warnings"] = report.warnings;
  return JsonOutput(json);
}

}  // namespace tandem
