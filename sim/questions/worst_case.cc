#include "sim/questions/worst_case.h"

#include <algorithm>
#include <cmath>

#include "policies/bounds/miss_probability.h"
#include "policies/bounds/worst_latency.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/unchanged.h"
#include "sim/study/known_data.h"

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
                   of.assumes,
                   {},
                   {}});
    if (std::holds_alternative<DependentArrival>(streams[s].arrival)) {
      all.back().end_to_end = {streams[s].end_to_end_deadline, LargestOf(seen.end_to_end), of.end_to_end};
    }
  }
  return all;
}

// Nothing where no task of the problem has samples.
std::optional<double> LongestSample(const Problem& problem) {
  const SampledTimes times(problem);
  std::optional<double> longest;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    for (std::size_t u = 0; u < problem.units(); ++u) {
      if (!problem.Runs(SegmentId(s), UnitId(u))) continue;
      for (const SampledTimes::Part& part : times.PartsOf(SegmentId(s), UnitId(u))) {
        for (std::size_t i = 0; part.samples && part.median > Nanos{0} && i < part.samples->size(); ++i) {
          const auto sample = static_cast<double>(part.samples->Sample(i).count());
          longest = std::max(longest.value_or(1), sample / static_cast<double>(part.median.count()));
        }
      }
    }
  }
  return longest;
}

std::int64_t TasksOf(const Report& report) {
  std::int64_t tasks = 1;
  for (const UnitReport& unit : report.units) tasks += unit.tasks;
  return tasks;
}

// What is proved, and what draws of the samples alone see.
void AddMisses(const PreparedRun& run, const Scenario& scenario, const Report& report, double longer,
               LongRun& watch, PolicyWorstCase& worst) {
  constexpr std::int64_t kDraws = 101, kLeastDraws = 5, kMostTasks = 10'000'000;
  const SampledTimes times(*run.problem);
  const auto proved = MissProbabilities(*run.problem, *run.policy, times, longer);
  for (std::size_t s = 0; s < proved.size(); ++s) {
    if (run.problem->scenario().streams[s].deadline)
      worst.streams[s].misses = {proved[s].at_most,         proved[s].why,        0, 0,
                                 proved[s].without_samples, proved[s].as_profiled};
  }
  const std::int64_t draws = std::clamp(kMostTasks / TasksOf(report), kLeastDraws, kDraws);
  for (std::int64_t draw = 1; draw <= draws; ++draw) {
    if (!watch.Progress(worst.label, draw, draws)) return;
    const PreparedRun again = Prepare(scenario, *run.spec);
    const SampledTimes drawn = times.SamplesAlone(static_cast<std::uint64_t>(draw));
    RunOptions options;
    drawn.SetIn(options);
    const Outcome outcome = RunVirtual(*again.problem, *again.policy, options);
    for (std::size_t s = 0; s < proved.size(); ++s) {
      if (!worst.streams[s].misses) continue;
      worst.streams[s].misses->requests += outcome.streams[s].released;
      worst.streams[s].misses->missed += outcome.streams[s].missed;
    }
  }
}

// The run that it was seen in is added to `runs`.
PolicyWorstCase OfPolicy(const Scenario& scenario, const PolicySpec& policy, const WorstQuestion& question,
                         LongRun& watch, std::vector<Report>& runs) {
  PolicyWorstCase worst{std::string(policy.declaration->name), policy.label, {}, {}, {}};
  try {
    const PreparedRun run = Prepare(scenario, policy);
    RunOptions options;
    options.progress = [&](std::int64_t ended) { return watch.Progress(policy.label, ended, 0); };
    const Bound none{std::nullopt, std::nullopt, "not asked for"};
    const Engine engine = question.engine;
    const Report report = ReportOf(run, engine, none, RunOn(engine, run, options));
    worst.streams = StreamsOf(run, report, question.longer);
    worst.longest_sample = LongestSample(*run.problem);
    if (question.probability) AddMisses(run, scenario, report, question.longer, watch, worst);
    runs.push_back(report);
  } catch (const InputError& error) {
    worst.failed = error.what();
  }
  return worst;
}

// Of what it is concluded: never of a task that takes longer than anything that was measured, nor of units
// that cost each other what nobody has measured.
std::string KeptText(const PolicyWorstCase& policy, const StreamWorstCase& stream, double longer) {
  const std::string kept = !policy.longest_sample             ? "kept as profiled"
                           : longer >= *policy.longest_sample ? "kept at all samples"
                                                              : "kept at medians";
  return stream.assumes.empty() ? kept : kept + ", if units cost each other nothing";
}

// Once of all streams that it is taken for.
std::string AssumedText(const PolicyWorstCase& policy, std::size_t width) {
  std::vector<std::string> assumed;
  for (const StreamWorstCase& stream : policy.streams) {
    for (const std::string& what : stream.assumes) {
      if (std::find(assumed.begin(), assumed.end(), what) == assumed.end()) assumed.push_back(what);
    }
  }
  std::string text;
  for (const std::string& what : assumed) {
    std::vector<std::string> streams;
    for (const StreamWorstCase& stream : policy.streams) {
      const auto& of = stream.assumes;
      if (std::find(of.begin(), of.end(), what) != of.end()) streams.push_back(stream.stream);
    }
    text += Wrapped(Joined(streams) + ": proved if " + what +
                        ": they share a memory, and nobody has measured what they do",
                    width);
  }
  return text;
}

std::string VerdictOf(const ProvedLatency& of, const std::string& kept) {
  const auto keeps = of.KeepsDeadline();
  if (!keeps) return "-";
  return *keeps ? kept : of.longest ? "may be missed" : "not proved";
}

// Up to the next hundredth.
std::string RoundedUp(double factor) { return Fixed(std::ceil(factor * 100 - 1e-9) / 100, 2); }

std::string SamplesText(const PolicyWorstCase& policy, double longer) {
  if (!policy.longest_sample || longer >= *policy.longest_sample) return {};
  const std::string times = RoundedUp(*policy.longest_sample);
  return "samples of these tasks are up to " + times +
         " times as long as the medians that this is proved of" +
         (longer != 1 ? ", " + Short(longer) + " times" : "") + "; --longer " + times +
         " proves it of all samples";
}

std::string TableOf(const PolicyWorstCase& policy, double longer, const TimeUnit& unit, std::size_t width) {
  Table table({{"stream", false, true},
               {"unit", false, true},
               {"takes", true},
               {"deadline", true},
               {"seen", true},
               {"at most", true},
               {"deadline is", false}});
  const auto text = [&](const std::optional<Nanos>& time) { return time ? unit.Text(*time) : "-"; };
  for (const StreamWorstCase& stream : policy.streams) {
    const auto add = [&](const std::string& name, const std::string& where, const std::string& takes,
                         const ProvedLatency& of) {
      table.Add({name, where, takes, text(of.deadline), text(of.seen), text(of.longest),
                 VerdictOf(of, KeptText(policy, stream, longer))});
    };
    add(stream.stream, stream.unit.empty() ? "-" : stream.unit, text(stream.work), stream.own);
    if (stream.end_to_end) add(stream.stream + ", end to end", "-", "-", *stream.end_to_end);
  }
  return table.Text(width);
}

// Two digits, rounded up: what is proved stays proved.
std::string UpText(double share) {
  if (share <= 0) return "0";
  if (share >= 1) return "1";
  auto exponent = static_cast<int>(std::floor(std::log10(share)));
  auto tenths = static_cast<int>(std::ceil(share / std::pow(10.0, exponent - 1) * (1 - 1e-12)));
  if (tenths >= 100) {
    tenths /= 10;
    ++exponent;
  }
  const std::string digits = std::to_string(-exponent);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "e-" +
         (digits.size() < 2 ? "0" : "") + digits;
}

// What of it is no chance.
std::string OneTimeText(const ProvedMisses& of) {
  if (!of.why.empty() || of.without_samples.empty()) return {};
  if (of.as_profiled)
    return "no task that counts has samples: 0 or 1 is what is proved of their times as profiled, and no "
           "chance";
  constexpr std::size_t kNamed = 3;
  const std::size_t all = of.without_samples.size(), named = std::min(all, kNamed);
  const std::vector<std::string> first(of.without_samples.begin(),
                                       of.without_samples.begin() + static_cast<std::ptrdiff_t>(named));
  return "without samples, so always as profiled: " + Joined(first) +
         (all > named ? " and " + std::to_string(all - named) + " more" : "");
}

std::string MissesTable(const PolicyWorstCase& policy, std::size_t width) {
  Table table(
      {{"stream", false, true}, {"requests", true}, {"missed", true}, {"seen", true}, {"at most", true}});
  for (const StreamWorstCase& stream : policy.streams) {
    if (!stream.misses) continue;
    const ProvedMisses& of = *stream.misses;
    table.Add({stream.stream, std::to_string(of.requests), std::to_string(of.missed), Short(of.seen()),
               of.at_most ? UpText(*of.at_most) : "-"});
  }
  std::string text = Wrapped("how likely a request misses its deadline, times drawn from samples:", width) +
                     table.Text(width);
  for (const StreamWorstCase& stream : policy.streams) {
    if (stream.misses && !stream.misses->why.empty())
      text +=
          Wrapped(stream.stream + ": nothing is proved of how likely that is: " + stream.misses->why, width);
    const std::string one_time = stream.misses ? OneTimeText(*stream.misses) : "";
    if (!one_time.empty()) text += Wrapped(stream.stream + ": " + one_time, width);
  }
  return text;
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
                                         const WorstQuestion& question, LongRun& watch) {
  WorstCases cases{scenario.name,
                   scenario.what_if,
                   std::string(NameOf(kEngineNames, question.engine)),
                   question.longer,
                   question.probability,
                   {},
                   ProfilesUsed(scenario),
                   {}};
  std::vector<Report> runs;
  for (const PolicySpec& policy : policies) {
    cases.policies.push_back(OfPolicy(scenario, policy, question, watch, runs));
    if (watch.interrupted()) return std::nullopt;
  }
  AddTakenForWant(scenario, runs);
  cases.estimated = EstimatedOf(runs);
  return cases;
}

std::string WorstCasesText(const WorstCases& cases, std::size_t width) {
  const TimeUnit unit = UnitOf(cases);
  std::string text = Wrapped(cases.scenario, width) + WhatIfText(cases.what_if, width);
  std::string head =
      "how long requests take at most, whatever the phases of their streams; seen with engine " +
      cases.engine + "; times in " + std::string(unit.name);
  head += cases.longer == 1
              ? "; at most if no task takes longer than profiled"
              : "; at most if no task takes longer than " + Short(cases.longer) + " times what is profiled";
  text += Wrapped(head, width);
  for (const PolicyWorstCase& policy : cases.policies) {
    text += "\n" + Wrapped(policy.label + (policy.failed.empty() ? "" : ": failed: " + policy.failed), width);
    if (!policy.failed.empty()) continue;
    text += TableOf(policy, cases.longer, unit, width);
    if (const std::string samples = SamplesText(policy, cases.longer); !samples.empty()) {
      text += Wrapped(samples, width);
    }
    text += AssumedText(policy, width);
    for (const StreamWorstCase& stream : policy.streams) {
      if (!stream.why.empty()) text += Wrapped(stream.stream + ": nothing is proved: " + stream.why, width);
    }
    const auto told = [](const StreamWorstCase& stream) { return stream.misses.has_value(); };
    if (std::any_of(policy.streams.begin(), policy.streams.end(), told)) text += MissesTable(policy, width);
  }
  text += "\n";
  if (cases.probability) {
    text += Wrapped(
        "proved of streams that take what they take independently of each other, of samples that lasting "
        "errors of the profile, heat or a disturbed machine do not change: --longer is for those",
        width);
  }
  for (const std::string& sentence : SentencesOfTimes(cases.estimated, cases.profiles)) {
    text += Wrapped(sentence, width);
  }
  return text;
}

}  // namespace tandem
