// The most of a value that a scenario's board carries under each policy, until a condition is kept no longer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/report/draws.h"
#include "scenarios/scenario/profile_used.h"
#include "sim/questions/limit_search.h"
#include "sim/questions/what_if.h"

namespace tandem {

enum class WhichLimit : std::uint8_t { kByTheKey, kMost, kLeast };

struct CapacityOptions {
  std::string vary;                   // a path as --what-if has it, or "count(STREAM)"
  std::string until;                  // a condition
  std::vector<std::string> policies;  // none: the scenario's
  Engine engine = Engine::kVirtual;
  WhichLimit which = WhichLimit::kByTheKey;
  std::optional<std::string> from, to;  // as values of --what-if
  std::optional<std::int64_t> replications;
  std::optional<std::int64_t> digits;
  double interval = kUsualInterval;
  std::optional<std::uint64_t> seed;
};

struct PolicyCapacity {
  std::string policy, label;
  Limit limit;
  std::string why;                     // where there is no limit, or nothing beyond was tried
  std::vector<double> at_limit;        // per term of the condition
  std::vector<std::string> estimated;  // there, for want of a measurement
  std::vector<double> beyond_limit;    // the same at limit.fails_at; empty where there is none
  std::optional<Interval> interval;    // over draws of the times and seeds
  std::string interval_why;            // why there is none
  ReportDraws draws;  // the limits of single draws; `objectives` are empty where there is none
  std::optional<Interval> over_seeds;  // with times as they are; nothing where no arrival is random
  bool best = false;                   // by the median over the draws, where all that have a limit have such
  bool close = false;                  // the draws cannot tell it from the best
  bool winner = false;                 // the best, where nobody is close to it
};

struct Capacity {
  std::string scenario;
  std::vector<WhatIf> what_if;
  std::string vary, until, unit;
  bool least = false, integer = false;
  double now = 0;  // in the scenario
  std::string engine;
  std::uint64_t seed = 1;
  std::int64_t seeds = 1;  // each value was tried with
  double probability = kUsualInterval;
  std::vector<std::string> estimated;  // for want of a measurement, at the limits: a sentence each
  std::vector<ProfileUsed> profiles;
  std::vector<PolicyCapacity> policies;
  std::vector<std::vector<std::string>> term_texts;  // per policy what the figures were at its limit
  std::optional<double> win_probability;             // of the best, by draws
};

// `supposed` holds at every value. Throws InputError. Nothing where `watch` was interrupted.
std::optional<Capacity> FindCapacity(const ScenarioFile& file, const std::vector<Supposed>& supposed,
                                     const CapacityOptions& options, LongRun& watch);

std::string CapacityText(const Capacity& capacity, std::size_t width);
std::string CapacityJson(const Capacity& capacity);  // capacity/1

}  // namespace tandem
