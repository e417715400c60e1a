// The longest that a request of each stream can take under a policy, proved, beside what a simulation saw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/scenario/profile_used.h"
#include "sim/study/one_run.h"

namespace tandem {

// Times since one and the same release.
struct ProvedLatency {
  std::optional<Nanos> deadline;
  std::optional<Nanos> seen;     // the largest of the simulation; nothing completed: none
  std::optional<Nanos> longest;  // whatever the phases

  // Nothing: it has no deadline.
  std::optional<bool> KeepsDeadline() const {
    return deadline ? std::optional(longest && *longest <= *deadline) : std::nullopt;
  }
};

// How likely one request misses its deadline where times are drawn from samples, beside what draws saw.
struct ProvedMisses {
  std::optional<double> at_most;
  std::string why;            // nothing is proved
  std::int64_t requests = 0;  // of all draws
  std::int64_t missed = 0;    // of these
  // Tasks that count and have one time, no samples; all of them: it is 0 or 1, as profiled, and no chance.
  std::vector<std::string> without_samples;
  bool as_profiled = false;

  double seen() const {
    return requests > 0 ? static_cast<double>(missed) / static_cast<double>(requests) : 0;
  }
};

struct StreamWorstCase {
  std::string stream, unit;   // unit: that runs it; empty: not one alone
  std::optional<Nanos> work;  // of one request, undisturbed; one unit alone runs it
  ProvedLatency own;          // since its release
  std::string why;            // nothing is proved
  // What it is proved of for want of a measurement, a sentence each.
  std::vector<std::string> assumes;
  // Since the release of the request on which it hangs in the end; of streams that follow others.
  std::optional<ProvedLatency> end_to_end;
  std::optional<ProvedMisses> misses;  // of its own deadline; where that was asked for, and it has one

  // Both, where it has two deadlines. Nothing: it has none.
  std::optional<bool> KeepsDeadline() const {
    const auto keeps = own.KeepsDeadline();
    const auto whole = end_to_end ? end_to_end->KeepsDeadline() : std::nullopt;
    return keeps && whole ? std::optional(*keeps && *whole) : keeps ? keeps : whole;
  }
};

struct PolicyWorstCase {
  std::string policy, label;
  std::string failed;  // why it has no run
  // The greatest sample of its tasks, as so many times the median that is proved of; nothing: they have none.
  std::optional<double> longest_sample;
  std::vector<StreamWorstCase> streams;

  bool KeepsAllDeadlines() const;
};

struct WorstCases {
  std::string scenario;
  std::vector<WhatIf> what_if;
  std::string engine;
  double longer = 1;  // so many times what the profiles say
  bool probability = false;
  std::vector<std::string> estimated;  // what was taken for want of a measurement, a sentence each
  std::vector<ProfileUsed> profiles;
  std::vector<PolicyWorstCase> policies;
};

struct WorstQuestion {
  Engine engine = Engine::kVirtual;  // that sees the largest latencies
  double longer = 1;
  bool probability = false;  // how likely misses are, too
};

// Nothing where `watch` was interrupted.
std::optional<WorstCases> FindWorstCases(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                                         const WorstQuestion& question, LongRun& watch);

std::string WorstCasesText(const WorstCases& cases, std::size_t width);
std::string WorstCasesJson(const WorstCases& cases);

}  // namespace tandem
