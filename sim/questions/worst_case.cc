#include "sim/questions/worst_case.h"

#include <algorithm>

#include "policies/bounds/worst_latency.h"
#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/unchanged.h"

namespace tandem {
namespace {

std::optional<Nanos> LargestOf(const std::optional<LatencySummary>& latency) {
  return latency ? std::optional(latency->max) : std::nullopt;
}

std::vector<StreamWorstCase> StreamsOf(const PreparedRun& run, const Report& report, double longer) {
  const std::vector<Stream>& streams = run.problem->scenario().streams;
  const std::vector<WorstLatency> worst = WorstLatencies(*run.problem, *run.policy, longer);
  std::vector<StreamWorstCase> all;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const WorstLatency& of = worst[s];
    const StreamReport& seen = report.streams[s];
    all.push_back({streams[s].name,
                   of.unit.valid() ? run.problem->platform().unit(of.unit).name : "",
                   of.work,
                   {streams[s].deadline, LargestOf(seen.latency), of.longest},
                   of.why,
                   {}});
    if (std::holds_alternative<DependentArrival>(streams[s].arrival)) {
      all.back().end_to_end = {streams[s].end_to_end_deadline, LargestOf(seen.end_to_end), of.end_to_end};
    }
  }
  return all;
}

PolicyWorstCase OfPolicy(const Scenario& scenario, const PolicySpec& policy, Engine engine, double longer,
                         LongRun& watch) {
  PolicyWorstCase worst{std::string(policy.declaration->name), policy.label, {}, {}};
  try {
    const PreparedRun run = Prepare(scenario, policy);
    RunOptions options;
    options.progress = [&](std::int64_t ended) { return watch.Progress(policy.label, ended, 0); };
    const Bound none{std::nullopt, std::nullopt, "not asked for"};
    const Report report = ReportOf(run, engine, none, RunOn(engine, run, options));
    worst.streams = StreamsOf(run, report, longer);
  } catch (const InputError& error) {
    worst.failed = error.what();
  }
  return worst;
}

std::string VerdictOf(const ProvedLatency& of) {
  const auto keeps = of.KeepsDeadline();
  if (!keeps) return "-";
  return *keeps ? "always kept" : of.longest ? "may be missed" : "not proved";
}

std::string TableOf(const PolicyWorstCase& policy, const TimeUnit& unit, std::size_t width) {
  Table table({{"stream", false, true},
               {"unit", false, true},
               {"takes", true},
               {"deadline", true},
               {"seen", true},
               {"at most", true},
               {"deadline is", false}});
  const auto text = [&](const std::optional<Nanos>& time) { return time ? unit.Text(*time) : "-"; };
  const auto add = [&](const std::string& name, const std::string& where, const std::string& takes,
                       const ProvedLatency& of) {
    table.Add({name, where, takes, text(of.deadline), text(of.seen), text(of.longest), VerdictOf(of)});
  };
  for (const StreamWorstCase& stream : policy.streams) {
    add(stream.stream, stream.unit.empty() ? "-" : stream.unit, text(stream.work), stream.own);
    if (stream.end_to_end) add(stream.stream + ", end to end", "-", "-", *stream.end_to_end);
  }
  return table.Text(width);
}

TimeUnit UnitOf(const WorstCases& cases) {
  Nanos longest{0};
  for (const PolicyWorstCase& policy : cases.policies) {
    for (const StreamWorstCase& stream : policy.streams) {
      const ProvedLatency whole = stream.end_to_end.value_or(ProvedLatency{});
      for (const auto& time : {stream.work, stream.own.longest, stream.own.seen, whole.longest, whole.seen}) {
        longest = std::max(longest, time.value_or(Nanos{0}));
      }
    }
  }
  return UnitFor(longest);
}

}  // namespace

bool PolicyWorstCase::KeepsAllDeadlines() const {
  return failed.empty() && std::none_of(streams.begin(), streams.end(), [](const StreamWorstCase& stream) {
           return stream.KeepsDeadline() == std::optional(false);
         });
}

std::optional<WorstCases> FindWorstCases(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                                         Engine engine, double longer, LongRun& watch) {
  WorstCases cases{scenario.name, scenario.what_if,       std::string(NameOf(kEngineNames, engine)),
                   longer,        ProfilesUsed(scenario), {}};
  for (const PolicySpec& policy : policies) {
    cases.policies.push_back(OfPolicy(scenario, policy, engine, longer, watch));
    if (watch.interrupted()) return std::nullopt;
  }
  return cases;
}

std::string WorstCasesText(const WorstCases& cases, std::size_t width) {
  const TimeUnit unit = UnitOf(cases);
  std::string text = Wrapped(cases.scenario, width) + WhatIfText(cases.what_if, width);
  std::string head =
      "how long requests take at most, whatever the phases of their streams; seen with engine " +
      cases.engine + "; times in " + std::string(unit.name);
  if (cases.longer != 1)
    head += "; at most if everything takes " + Short(cases.longer) + " times as long as profiled";
  text += Wrapped(head, width);
  for (const PolicyWorstCase& policy : cases.policies) {
    text += "\n" + Wrapped(policy.label + (policy.failed.empty() ? "" : ": failed: " + policy.failed), width);
    if (!policy.failed.empty()) continue;
    text += TableOf(policy, unit, width);
    for (const StreamWorstCase& stream : policy.streams) {
      if (!stream.why.empty()) text += Wrapped(stream.stream + ": nothing is proved: " + stream.why, width);
    }
  }
  text += "\n";
  for (const std::string& sentence : OriginSentences(cases.profiles)) text += Wrapped(sentence, width);
  return text;
}

}  // namespace tandem
