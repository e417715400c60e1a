#include <algorithm>
#include <chrono>
#include <cmath>

#include "profiles/base/figures.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kMinDuration = milliseconds{600000};
constexpr std::int64_t kMostSamplesPerQuery = 1 << 20;
constexpr double kTargetQps = 1;
constexpr double kMostQps = 1e9;
constexpr double kOfflineSlack = 1.1;  // so many more samples than the expected rate needs
constexpr int kPercentileDecimals = 2;

Fields<Loadgen> FieldsOf(LoadgenScenario scenario) {
  using L = Loadgen;
  const Loadgen defaults = LoadgenDefaults(scenario, "");
  Fields<L> fields;
  fields
      .Reads(
          "type", as::WordOf({NameOf(kLoadgenScenarioNames, scenario)}), [](L&, std::string) {},
          "MLPerf LoadGen's scenario of this name.")
      .MustBeThere()
      .Reads(
          "rules", as::WordOf({"loadgen"}), [](L&, std::string) {}, "Needed where the scenario's are others.")
      .Optional("min_query_count", &L::min_query_count, as::Integer(1, kMostRequests))
      .Default(std::to_string(defaults.min_query_count))
      .Optional("min_duration_ms", &L::min_duration, as::Millis())
      .Default(JsonNumber(InMillis(defaults.min_duration)))
      .Optional("percentile", &L::percentile, Scaled(kPercentileDecimals, 0.01, 99.99))
      .Default(std::to_string(defaults.percentile / 100));
  if (scenario != LoadgenScenario::kOffline) {
    fields.Optional("target_latency_us", &L::target_latency, as::Micros(Nanos{1}),
                    scenario == LoadgenScenario::kServer ? "10 ms where absent, 15 ms for resnet50." : "");
  }
  if (scenario == LoadgenScenario::kMultiStream) {
    fields.Optional("samples_per_query", &L::samples_per_query, as::Integer(1, kMostSamplesPerQuery));
  } else if (defaults.target_qps) {
    fields.Optional("target_qps", &L::target_qps, as::Number(1e-6, kMostQps))
        .Default(JsonNumber(*defaults.target_qps));
  }
  return fields;
}

std::int64_t OfflineSamples(const Loadgen& rules) {
  const double seconds = InSeconds(rules.min_duration);
  const double expected = std::ceil(kOfflineSlack * *rules.target_qps * seconds);
  return std::max(rules.min_query_count, static_cast<std::int64_t>(std::min(expected, 9e18)));
}

}  // namespace

Loadgen LoadgenDefaults(LoadgenScenario scenario, const std::string& model) {
  Loadgen rules;
  rules.scenario = scenario;
  rules.min_duration = kMinDuration;
  switch (scenario) {
    case LoadgenScenario::kSingleStream:
      rules.min_query_count = 1024;
      rules.percentile = 9000;
      break;
    case LoadgenScenario::kMultiStream:
      rules.min_query_count = 270336;
      rules.percentile = 9900;
      break;
    case LoadgenScenario::kServer:
      rules.min_query_count = 270336;
      rules.percentile = 9900;
      rules.target_latency = milliseconds{model == "resnet50" ? 15 : 10};
      rules.target_qps = kTargetQps;
      break;
    case LoadgenScenario::kOffline:
      rules.min_query_count = 24576;
      rules.percentile = 9000;
      rules.target_qps = kTargetQps;
      break;
  }
  return rules;
}

const Fields<Loadgen>& LoadgenFields(LoadgenScenario scenario) {
  using enum LoadgenScenario;
  static const std::array<Fields<Loadgen>, 4> fields = {FieldsOf(kSingleStream), FieldsOf(kMultiStream),
                                                        FieldsOf(kServer), FieldsOf(kOffline)};
  return fields[static_cast<std::size_t>(scenario)];
}

Arrival LoadgenArrival(const Loadgen& rules) {
  switch (rules.scenario) {
    case LoadgenScenario::kSingleStream:
      return ClosedArrival{};
    case LoadgenScenario::kMultiStream:
      return ClosedArrival{1, rules.samples_per_query};
    case LoadgenScenario::kServer:
      return PoissonArrival{*rules.target_qps};
    default:
      return OfflineArrival{};
  }
}

void EndLoadgen(Stream& stream) {
  const Loadgen& rules = *stream.loadgen;
  const bool offline = rules.scenario == LoadgenScenario::kOffline;
  stream.until = {offline ? OfflineSamples(rules) : rules.min_query_count,
                  offline ? Nanos{0} : rules.min_duration};
  if (rules.scenario == LoadgenScenario::kServer) stream.deadline = rules.target_latency;
}

}  // namespace tandem
