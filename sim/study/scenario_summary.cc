#include "sim/study/scenario_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "scenarios/arrivals/arrivals.h"
#include "sim/study/room_check.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<Named<Certainty>, 3> kCertaintyNames = {
    {{"exact", Certainty::kExact}, {"about", Certainty::kAbout}, {"at_least", Certainty::kAtLeast}}};

template <class Value>
Json ValueOrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json MicrosOrNull(const std::optional<Nanos>& time) { return time ? Json(InMicros(*time)) : Json(nullptr); }

Json ArrivalJson(const OfflineArrival&, const Scenario&) { return {{"type", "offline"}}; }

Json ArrivalJson(const ClosedArrival& closed, const Scenario&) {
  return {{"type", "closed"}, {"in_flight", closed.in_flight}, {"requests_per_query", closed.per_query}};
}

Json ArrivalJson(const PeriodicArrival& periodic, const Scenario&) {
  const double period = static_cast<double>(periodic.period_ns) / static_cast<double>(periodic.divisor) / 1e3;
  return {{"type", "periodic"},
          {"period_us", period},
          {"phase_us", InMicros(periodic.phase)},
          {"jitter_us", InMicros(periodic.jitter)}};
}

Json ArrivalJson(const PoissonArrival& poisson, const Scenario&) {
  return {{"type", "poisson"}, {"rate_per_s", poisson.rate_per_s}};
}

Json ArrivalJson(const TraceArrival& trace, const Scenario&) {
  return {{"type", "trace"}, {"file", trace.file}, {"times", trace.times->size()}};
}

Json ArrivalJson(const DependentArrival& dependent, const Scenario& scenario) {
  Json json = {{"type", "depends_on"},
               {"stream", scenario.streams[dependent.parent.index()].name},
               {"probability", dependent.probability},
               {"every", dependent.every}};
  if (dependent.data) json["data"] = true;
  for (const StreamId joined : dependent.joins)
    json["joins"].push_back(scenario.streams[joined.index()].name);
  return json;
}

Json LoadgenJson(const Loadgen& rules) {
  return {{"scenario", NameOf(kLoadgenScenarioNames, rules.scenario)},
          {"min_query_count", rules.min_query_count},
          {"min_duration_ms", InMillis(rules.min_duration)},
          {"percentile", static_cast<double>(rules.percentile) / 100},
          {"target_latency_us", MicrosOrNull(rules.target_latency)},
          {"target_qps", ValueOrNull(rules.target_qps)}};
}

Json StreamJson(const Stream& stream, const RequestCount& requests, const Scenario& scenario) {
  const auto arrival = [&](const auto& rule) { return ArrivalJson(rule, scenario); };
  const bool until_date = stream.until.duration > Nanos{0};
  Json json = {{"name", stream.name},
               {"model", scenario.model(stream.model).name},
               {"arrival", std::visit(arrival, stream.arrival)},
               {"until_count", stream.until.count > 0 ? Json(stream.until.count) : Json(nullptr)},
               {"until_ms", until_date ? Json(InMillis(stream.until.duration)) : Json(nullptr)},
               {"requests", requests.count},
               {"requests_are", NameOf(kCertaintyNames, requests.certainty)},
               {"deadline_us", MicrosOrNull(stream.deadline)},
               {"end_to_end_deadline_us", MicrosOrNull(stream.end_to_end_deadline)},
               {"priority", stream.priority},
               {"batch", stream.batch},
               {"critical", stream.critical},
               {"drop_late", stream.drop_late},
               {"age", stream.age},
               {"keep_latest", stream.keep_latest ? Json(*stream.keep_latest) : Json(nullptr)}};
  if (stream.batching) {
    json["batching"] = {{"most", stream.batching->most},
                        {"wait_us", InMicros(stream.batching->wait)},
                        {"preferred", stream.batching->preferred},
                        {"across", stream.batching->across}};
  }
  if (stream.loadgen) json["loadgen"] = LoadgenJson(*stream.loadgen);
  return json;
}

// What of each model stays on the unit's chip, before anything runs.
void AddChip(const Scenario& scenario, UnitId unit, Json& json) {
  const auto& variant = scenario.units[unit.index()].variant;
  if (!variant || !scenario.costs || !scenario.costs->on_chip().Has(unit)) return;
  const OnChip& chips = scenario.costs->on_chip();
  json["on_chip"] = Json::array();
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    const auto load = scenario.costs->LoadTime(ModelId(m), unit, *variant);
    json["on_chip"].push_back({{"model", scenario.models[m].name},
                               {"stay_bytes", chips.BytesThatStay(ModelId(m), unit, *variant)},
                               {"streamed_bytes", chips.BytesStreamed(ModelId(m), unit, *variant)},
                               {"longer_us", InMicros(chips.MoreTime(ModelId(m), unit, *variant, {}))},
                               {"load_us", MicrosOrNull(load)}});
  }
}

Json UnitJson(const Scenario& scenario, std::size_t position) {
  const UnitUse& use = scenario.units[position];
  Json json = {{"name", scenario.platform->units[position].name},
               {"variant", use.variant ? Json(use.variant->Text()) : Json(nullptr)},
               {"load_pct", 0}};
  for (const UnitLoad& load : scenario.loads) {
    if (load.unit.index() == position) json["load_pct"] = load.load_pct;
  }
  for (const UnitSpeed& speed : scenario.speeds) {
    if (speed.unit.index() == position)
      json["speeds"].push_back({{"at_us", InMicros(speed.at)}, {"speed", speed.speed}});
  }
  for (const UnitHeat& heat : scenario.heat) {
    if (heat.unit.index() == position)
      json["heat"] = {{"time_constant_us", InMicros(heat.time_constant)},
                      {"hot", heat.hot},
                      {"cool", heat.cool},
                      {"speed", heat.speed},
                      {"warmth", heat.warmth}};
  }
  for (const UnitAbsence& absence : scenario.away) {
    if (absence.unit.index() == position)
      json["away"].push_back(
          {{"from_us", InMicros(absence.from)}, {"until_us", MicrosOrNull(absence.until)}});
  }
  AddChip(scenario, UnitId(position), json);
  if (!use.resident) return json;
  json["resident"] = Json::array();
  for (const ModelId model : *use.resident) json["resident"].push_back(scenario.model(model).name);
  return json;
}

Json PolicyJson(const PolicySpec& policy) {
  Json json = {{"name", policy.declaration->name},
               {"label", policy.label},
               {"sees", policy.declaration->clairvoyant ? "all arrivals" : "what has been released"}};
  if (policy.declaration->takes_granularity) {
    json["granularity"] = NameOf(kGranularityNames, policy.granularity);
  }
  return json;
}

Json Requested(const Json& document, const char* list, std::size_t position) {
  return document.at(list).at(position);
}

}  // namespace

Json EffectiveSettings(const Scenario& scenario, const Json& document) {
  Json json = {{"name", scenario.name},
               {"seed", scenario.seed},
               {"rules", NameOf(kRulesNames, scenario.rules)},
               {"platform", scenario.platform ? Json(scenario.platform->name) : Json(nullptr)},
               {"transfer", NameOf(kTransferModeNames, scenario.transfer)},
               {"objective", NameOf(kObjectiveNames, scenario.objective)}};
  if (!scenario.objective_why.empty()) json["objective_why"] = scenario.objective_why;
  for (const Objective next : scenario.then) json["then"].push_back(NameOf(kObjectiveNames, next));
  if (scenario.rules == Rules::kTandem) json["rules"] = nullptr;
  json["units"] = Json::array();
  for (std::size_t i = 0; i < scenario.units.size(); ++i) json["units"].push_back(UnitJson(scenario, i));
  if (Json rooms = RoomJson(scenario); !rooms.empty()) json["memories"] = std::move(rooms);
  const std::vector<RequestCount> requests = CountRequests(scenario.streams, scenario.seed);
  json["streams"] = Json::array();
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    json["streams"].push_back(
        {{"requested", Requested(document, "streams", scenario.streams[i].copy_of.value_or(i))},
         {"effective", StreamJson(scenario.streams[i], requests[i], scenario)}});
  }
  json["policies"] = Json::array();
  for (std::size_t i = 0; i < scenario.policies.size(); ++i) {
    json["policies"].push_back(
        {{"requested", Requested(document, "policies", i)}, {"effective", PolicyJson(scenario.policies[i])}});
  }
  return json;
}

}  // namespace tandem
