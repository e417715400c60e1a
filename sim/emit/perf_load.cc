#include "sim/emit/perf_load.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "profiles/base/suggest.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/arrival_file.h"
#include "sim/emit/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostInFlight = 1024;
constexpr std::size_t kMostTimes = 1'000'000;  // of one stream in a file

std::vector<Nanos> TimesOf(const Stream& stream, std::uint64_t seed) {
  ReleaseTimes releases(stream, seed);
  std::vector<Nanos> times;
  while (const auto time = releases.Next()) {
    if (times.size() == kMostTimes) break;
    times.push_back(*time);
  }
  return times;
}

// How its requests are sent; empty: perf_analyzer cannot.
std::string LoadOption(const Deployment& deployment, const Stream& stream, const std::string& file,
                       Emitted& emitted) {
  if (const auto* closed = std::get_if<ClosedArrival>(&stream.arrival)) {
    const std::int64_t in_flight = closed->in_flight * closed->per_query;
    if (closed->per_query > 1) {
      emitted.Lacks("stream " + Quoted(stream.name) +
                    ": that queries of several requests end together: perf_analyzer keeps " +
                    std::to_string(in_flight) + " requests in flight");
    }
    return "--concurrency-range=" + std::to_string(in_flight);
  }
  if (std::holds_alternative<DependentArrival>(stream.arrival)) return "";
  if (std::holds_alternative<OfflineArrival>(stream.arrival)) {
    const std::int64_t in_flight = std::clamp<std::int64_t>(stream.until.count, 1, kMostInFlight);
    if (in_flight < stream.until.count) {
      emitted.Lacks("stream " + Quoted(stream.name) +
                    ": that all requests are there at once: perf/run.sh keeps " + std::to_string(in_flight) +
                    " in flight");
    }
    return "--concurrency-range=" + std::to_string(in_flight);
  }
  const std::vector<Nanos> times = TimesOf(stream, deployment.scenario().seed);
  if (times.empty()) return "";
  if (times.size() == kMostTimes) {
    emitted.Lacks("stream " + Quoted(stream.name) + ": the first " + std::to_string(kMostTimes) +
                  " requests alone are in perf/");
  }
  emitted.Add("perf/" + file + ".intervals", IntervalsText(times));
  emitted.Add("perf/" + file + ".jsonl", FixedScheduleText(times));
  return "--request-intervals=perf/" + file + ".intervals";
}

}  // namespace

void AddPerfLoad(const Deployment& deployment, const std::vector<std::string>& served, Emitted& emitted) {
  std::string script =
      "#!/bin/sh\n# Sends the scenario's requests, all streams at once, and keeps what perf_analyzer "
      "measures.\n"
      "cd \"$(dirname \"$0\")/..\"\nmkdir -p perf/results\n";
  PlainNames names;
  const Scenario& scenario = deployment.scenario();
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    const std::string& model = served[deployment.problem().cut_of(StreamId(s)).index()];
    if (model.empty()) continue;
    const std::string file = names.Of(stream.name);
    const std::string load = LoadOption(deployment, stream, file, emitted);
    if (load.empty()) continue;
    // A request's batch is in the model's own dimensions.
    script +=
        "\"${PERF_ANALYZER:-perf_analyzer}\" -m " + ShellText(model) + " -i grpc --async " + ShellText(load);
    const auto counts = CountRequests(scenario.streams, scenario.seed);
    if (counts[s].count > 0 && counts[s].certainty == Certainty::kExact)
      script += " --request-count=" + std::to_string(counts[s].count);
    script += " " + ShellText("--profile-export-file=perf/results/" + file + ".json") + " " + "-f " +
              ShellText("perf/results/" + file + ".csv") + " \"$@\" &\n";
  }
  emitted.files.push_back({"perf/run.sh", script + "wait\n", true});
}

}  // namespace tandem
