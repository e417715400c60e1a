#include "scenarios/scenario/loadgen_rules.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "profiles/base/figures.h"
#include "scenarios/scenario/arrival_reader.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kMinDuration = milliseconds{600000};
constexpr std::int64_t kSamplesPerQuery = 8;
constexpr std::int64_t kMostSamplesPerQuery = 1 << 20;
constexpr double kTargetQps = 1;
constexpr double kMostQps = 1e9;
constexpr double kOfflineSlack = 1.1;  // so many more samples than the expected rate needs

Loadgen Defaults(LoadgenScenario scenario, const std::string& model) {
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

void OnlyKeysOf(const JsonReader& arrival, LoadgenScenario scenario) {
  switch (scenario) {
    case LoadgenScenario::kSingleStream:
      return arrival.OnlyKeys(
          {"type", "rules", "min_query_count", "min_duration_ms", "percentile", "target_latency_us"});
    case LoadgenScenario::kMultiStream:
      return arrival.OnlyKeys({"type", "rules", "min_query_count", "min_duration_ms", "percentile",
                               "target_latency_us", "samples_per_query"});
    case LoadgenScenario::kServer:
      return arrival.OnlyKeys({"type", "rules", "min_query_count", "min_duration_ms", "percentile",
                               "target_latency_us", "target_qps"});
    case LoadgenScenario::kOffline:
      return arrival.OnlyKeys(
          {"type", "rules", "min_query_count", "min_duration_ms", "percentile", "target_qps"});
  }
}

Loadgen ReadRules(const JsonReader& arrival, LoadgenScenario scenario, const std::string& model) {
  OnlyKeysOf(arrival, scenario);
  Loadgen rules = Defaults(scenario, model);
  if (const auto count = arrival.Find("min_query_count")) {
    rules.min_query_count = count->Integer(1, kMostRequests);
  }
  if (const auto duration = arrival.Find("min_duration_ms")) rules.min_duration = duration->Millis();
  if (const auto percentile = arrival.Find("percentile")) {
    rules.percentile = ReadScaled(*percentile, 2, 0.01, 99.99);
  }
  if (const auto latency = arrival.Find("target_latency_us")) {
    rules.target_latency = latency->Micros(Nanos{1});
  }
  if (const auto rate = arrival.Find("target_qps")) rules.target_qps = rate->Number(1e-6, kMostQps);
  return rules;
}

std::int64_t OfflineSamples(const Loadgen& rules) {
  const double seconds = InSeconds(rules.min_duration);
  const double expected = std::ceil(kOfflineSlack * *rules.target_qps * seconds);
  return std::max(rules.min_query_count, static_cast<std::int64_t>(std::min(expected, 9e18)));
}

}  // namespace

void ReadLoadgen(const JsonReader& arrival, LoadgenScenario scenario, const std::string& model,
                 Stream& stream) {
  const Loadgen rules = ReadRules(arrival, scenario, model);
  stream.loadgen = rules;
  stream.until = {rules.min_query_count, rules.min_duration};
  switch (scenario) {
    case LoadgenScenario::kSingleStream:
      stream.arrival = ClosedArrival{};
      break;
    case LoadgenScenario::kMultiStream: {
      const auto samples = arrival.Find("samples_per_query");
      stream.arrival =
          ClosedArrival{1, samples ? samples->Integer(1, kMostSamplesPerQuery) : kSamplesPerQuery};
      break;
    }
    case LoadgenScenario::kServer:
      stream.arrival = PoissonArrival{*rules.target_qps};
      stream.deadline = rules.target_latency;
      break;
    case LoadgenScenario::kOffline:
      stream.arrival = OfflineArrival{};
      stream.until = {OfflineSamples(rules), Nanos{0}};
      break;
  }
}

}  // namespace tandem
