#include "sim/study/models_alone.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <variant>

#include "profiles/base/figures.h"
#include "profiles/base/json_output.h"
#include "profiles/base/statistics.h"
#include "scenarios/scenario/faster_scenario.h"
#include "scenarios/trace/read.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// Of each model in a run: enough that the first ones, which find the caches of another model, are few.
constexpr std::int64_t kFewest = 6, kMost = 60, kNotCounted = 2;
constexpr Nanos kLong{60'000'000};
constexpr std::size_t kFewestRuns = 2;
constexpr double kOfNormal = 1.4826;       // a standard deviation, in medians of sizes
constexpr double kMedianForMean = 1.2533;  // standard errors

bool RunsAll(const Scenario& scenario, UnitId unit) {
  return std::all_of(scenario.streams.begin(), scenario.streams.end(),
                     [&](const Stream& stream) { return scenario.CanRun(stream.model, unit, stream.batch); });
}

Scenario OneAfterTheOther(const Scenario& scenario, UnitId unit) {
  Scenario alone;
  alone.file = scenario.file;
  alone.name = scenario.name;
  alone.seed = scenario.seed;
  alone.transfer = scenario.transfer;
  alone.platform = scenario.platform;
  alone.profiles = scenario.profiles;
  alone.models = scenario.models;
  alone.streams = scenario.streams;
  alone.units = scenario.units;
  alone.loads = scenario.loads;  // they are there on the device
  CountAnew(alone);
  Nanos release{0};  // one by one: models that take turns would find each other's caches
  for (Stream& stream : alone.streams) {
    const auto time = scenario.Time(stream.model, unit, stream.batch);
    const std::int64_t each = time ? std::max<std::int64_t>(time->time.count(), 1) : 1;
    const std::int64_t count = std::clamp(kLong.count() / each, kFewest, kMost);
    stream.arrival = PeriodicArrival{.period_ns = 1, .phase = release};
    stream.until = {count, Nanos{0}};
    release += Nanos(count);
    stream.deadline.reset();
    stream.end_to_end_deadline.reset();
    stream.priority = 0;
    stream.drop_late = false;
    stream.critical = false;
    stream.keep_latest.reset();
    stream.batching.reset();
    stream.loadgen.reset();
  }
  return alone;
}

// The plan with these streams, as a plan has those of the scenario's file.
std::string WithItsStreams(const std::string& plan, const Scenario& alone) {
  Json json = Json::parse(plan);
  Json& streams = json["scenario"]["streams"];
  for (std::size_t s = 0; s < alone.streams.size(); ++s) {
    const auto& arrival = std::get<PeriodicArrival>(alone.streams[s].arrival);
    const std::string model = streams[alone.streams[s].copy_of.value_or(s)]["model"];
    streams[s] = {{"name", alone.streams[s].name},
                  {"model", model},
                  {"batch", alone.streams[s].batch},
                  {"count", alone.streams[s].until.count},
                  {"arrival",
                   {{"type", "periodic"},
                    {"period_us", InMicros(Nanos(arrival.period_ns))},
                    {"phase_us", InMicros(arrival.phase)}}}};
  }
  return JsonOutput(json);
}

std::string LabelFor(const std::string& unit, const std::vector<Prediction>& plans) {
  std::string label = "alone on " + unit;
  const auto is_label = [&](const Prediction& plan) { return plan.report.label == label; };
  while (std::any_of(plans.begin(), plans.end(), is_label)) label += "'";
  return label;
}

using UnitAndStream = std::pair<std::string, std::string>;  // their names

// The middling one of each stream's requests on its unit, but the first.
std::map<UnitAndStream, Nanos> MiddlesOf(const TracedRun& run) {
  std::map<UnitAndStream, std::vector<Nanos>> times;
  for (const TracedSpan& span : run.spans) {
    if (span.kind != SpanKind::kCompute || span.index < kNotCounted) continue;
    const std::string& unit = run.tracks[static_cast<std::size_t>(span.track)].unit;
    const std::string& stream = run.streams[static_cast<std::size_t>(span.stream)];
    times[{unit, stream}].push_back(span.end - span.start);
  }
  std::map<UnitAndStream, Nanos> middles;
  for (auto& [of, all] : times) middles[of] = LowerMedian(std::move(all));
  return middles;
}

// Of the middle of so many.
double ErrorOf(const std::vector<Nanos>& all, Nanos middle) {
  std::vector<Nanos> off;
  for (const Nanos time : all) off.push_back(std::chrono::abs(time - middle));
  const auto scatter = static_cast<double>(LowerMedian(std::move(off)).count());
  return kOfNormal * kMedianForMean * scatter / static_cast<double>(middle.count()) /
         std::sqrt(static_cast<double>(all.size()));
}

// In the order of the trace of all runs.
std::vector<bool> WhichCount(const std::vector<DeviceRun>& runs) {
  std::vector<bool> count;
  for (const DeviceRun& run : runs) count.push_back(run.complete && !run.disturbed);
  return count;
}

}  // namespace

Predictions PlansAlone(const Scenario& scenario, const std::vector<Prediction>& plans, LongRun& watch) {
  Predictions alone;
  for (std::size_t u = 0; u < scenario.platform->units.size(); ++u) {
    const UnitId unit(u);
    if (!RunsAll(scenario, unit)) continue;
    const std::string& name = scenario.platform->unit(unit).name;
    const Scenario of_unit = OneAfterTheOther(scenario, unit);
    PolicySpec policy = PolicyByName("single:" + name, of_unit, scenario.file);
    policy.label = LabelFor(name, plans);
    Predictions one = Predict(of_unit, {policy}, Engine::kVirtual, watch);
    if (watch.interrupted()) return alone;
    alone.policies.push_back(std::move(one.policies.front()));
    alone.policies.back().plan = WithItsStreams(alone.policies.back().plan, of_unit);
    alone.trace = alone.trace.empty() ? std::move(one.trace) : JoinedTrace(alone.trace, one.trace);
  }
  return alone;
}

std::vector<ModelAlone> TakeAlone(const Scenario& scenario, const std::vector<Prediction>& plans,
                                  const Predictions& alone, RunAnswer& run) {
  const std::vector<bool> count = WhichCount(run.runs);
  std::erase_if(run.runs, [&](const DeviceRun& of) { return of.plan >= plans.size(); });
  if (alone.policies.empty() || run.trace.empty()) return {};
  std::map<UnitAndStream, Nanos> predicted;
  std::map<UnitAndStream, std::vector<Nanos>> measured;
  std::set<std::string> labels;
  for (const Prediction& plan : alone.policies) labels.insert(plan.report.label);
  const JsonDocument expected = JsonDocument::Parse(alone.trace, "prediction");
  for (const TracedRun& of : ReadTrace(expected.root()).runs) predicted.merge(MiddlesOf(of));
  const JsonDocument document = JsonDocument::Parse(run.trace, "the device's trace");
  const Trace trace = ReadTrace(document.root());
  for (std::size_t r = 0; r < trace.runs.size(); ++r) {
    if (!labels.contains(trace.runs[r].policy) || r >= count.size() || !count[r]) continue;
    for (const auto& [of, middle] : MiddlesOf(trace.runs[r])) measured[of].push_back(middle);
  }
  std::vector<ModelAlone> all;
  for (const Stream& stream : scenario.streams) {
    for (const Unit& unit : scenario.platform->units) {
      const auto expected_of = predicted.find({unit.name, stream.name});
      const auto times = measured.find({unit.name, stream.name});
      if (expected_of == predicted.end() || times == measured.end() || times->second.size() < kFewestRuns) {
        continue;
      }
      const Nanos middle = LowerMedian(times->second);
      all.push_back({unit.name, scenario.model(stream.model).name, stream.batch, expected_of->second, middle,
                     ErrorOf(times->second, middle), static_cast<std::int64_t>(times->second.size())});
    }
  }
  return all;
}

void PutInState(const std::vector<ModelAlone>& alone, Scenario& scenario) {
  if (alone.empty()) return;
  double squares = 0;
  std::set<std::pair<UnitId, std::pair<std::string, std::int64_t>>> done;  // streams may be of one model
  for (const ModelAlone& of : alone) {
    squares += of.error * of.error;
    const UnitId unit = scenario.platform->FindUnit(of.unit);
    for (const ScenarioModel& model : scenario.models) {
      if (model.name != of.model || !done.insert({unit, {model.key, of.batch}}).second) continue;
      const double speed =
          static_cast<double>(of.profiled.count()) / static_cast<double>(of.measured.count());
      SpeedUpModel(model.key, of.batch, unit, speed, scenario);
    }
  }
  const double error = std::sqrt(squares / static_cast<double>(alone.size()));
  for (Profile& profile : scenario.profiles) {
    if (profile.origin.kind != OriginKind::kMeasured || !profile.origin.error) continue;
    profile.origin.error = std::max(*profile.origin.error, error);
  }
  CountAnew(scenario);
}

}  // namespace tandem
