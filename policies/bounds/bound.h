// Room policies/bounds: how good any schedule can be, proved in integers, and the exact answers for small
// cases.
//
// How good any schedule can be. A bound is one of a Problem: of its granularity, its profiled times and,
// where a policy may choose what is resident, of every choice. Finer granularities can do what coarser ones
// cannot, so what holds for several policies is the least bound of theirs. Contention and load
// slow things down, and the bound holds with them; where they may speed something up, it is divided by the
// most that they may. Of copies those count that no schedule avoids (least_copies.h). It
// says nothing of latencies that are drawn from samples.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/bounds/division.h"
#include "policies/bounds/least_times.h"
#include "policies/problem/problem.h"

namespace tandem {

struct Bound {
  std::optional<Nanos> makespan;      // no schedule's is shorter
  std::optional<Nanos> mean_latency;  // the mean over all requests, rounded down; only where all are certain
  std::string why_null;               // where there is no makespan
  std::optional<Nanos> p99_latency = {};        // the same
  std::optional<double> energy = {};            // joules; only where the idle watts of all units are known
  std::optional<std::int64_t> inferences = {};  // of all requests; only where all are certain
  std::vector<Nanos> of_requests = {};          // per stream: from release to completion; empty: not known
};

// May anything go faster than profiled? Then bounds from profiled times alone do not hold.
bool GoesFaster(const Scenario& scenario);
// What is left of a time if everything went as fast as slowdowns below 1 may make anything; else 1.
double LeastShareOfTimes(const Scenario& scenario);
// The time, less where that says so.
Nanos AtLeastShare(Nanos time, const Scenario& scenario);
// The bound of profiled times as it is then. Of latencies, which count from releases that come no sooner,
// RaiseLatencies has it already.
Bound AtTopSpeed(Bound bound, const Scenario& scenario);

// Of the scenario's objective, in its unit; of what is the better the more it is none is above it.
std::optional<double> ObjectiveBound(const Scenario& scenario, const Bound& bound);

// The larger of the division of all work that is certain over slots of units that may run it - of all work,
// and of what is released from some dates on - and of the longest chain of fastest times from a release.
// Open edges: for policies that choose how tensors come, too.
Bound LowerBound(const Problem& problem, OpenEdges edges = OpenEdges::kNo);

// Of what is reckoned in doubles a bound keeps so much, so that rounding takes nothing away from the proof.
inline constexpr double kRoundedDown = 1 - 1e-9;

// The parts of an energy bound: what all units draw at idle; nothing where one's watts are unknown, or fewer
// at work.
std::optional<double> IdleJoules(const Platform& platform, Nanos time);

// The linear program where a solver is built in and it is of moderate size.
struct Division {
  std::vector<std::int64_t> weights;        // for ProvedDivision: the program's dual, or balanced ones
  std::vector<std::vector<double>> shares;  // per class and unit, about; empty without a solver
};
Division Divide(std::span<const WorkClass> classes, std::span<const std::int64_t> slots);
Nanos DivisionBound(std::span<const WorkClass> classes, std::span<const std::int64_t> slots);

}  // namespace tandem
