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

struct StreamWorstCase {
  std::string stream, unit;   // unit: that runs it; empty: not one alone
  std::optional<Nanos> work;  // of one request, undisturbed; one unit alone runs it
  ProvedLatency own;          // since its release
  std::string why;            // nothing is proved
  // Since the release of the request on which it hangs in the end; of streams that follow others.
  std::optional<ProvedLatency> end_to_end;

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
  std::vector<StreamWorstCase> streams;

  bool KeepsAllDeadlines() const;
};

struct WorstCases {
  std::string scenario;
  std::vector<WhatIf> what_if;
  std::string engine;
  double longer = 1;  // so many times what the profiles say
  std::vector<ProfileUsed> profiles;
  std::vector<PolicyWorstCase> policies;
};

// Nothing where `watch` was interrupted.
std::optional<WorstCases> FindWorstCases(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                                         Engine engine, double longer, LongRun& watch);

std::string WorstCasesText(const WorstCases& cases, std::size_t width);
std::string WorstCasesJson(const WorstCases& cases);

}  // namespace tandem
