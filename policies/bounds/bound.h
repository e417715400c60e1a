// Room policies/bounds: how good any schedule can be, proved in integers, and the exact answers for small
// cases.
//
// How good any schedule can be. A bound is one of a Problem: of its granularity, its profiled times and,
// where a policy may choose what is resident, of every choice. Finer granularities can do what coarser ones
// cannot, so what holds for several policies is the least bound of theirs. Contention and load only slow
// things down: the bound holds with them. Of copies those count that no schedule avoids (least_copies.h). It
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
};

// The larger of the division of all work that is certain over slots of units that may run it - of all work,
// and of what is released from some dates on - and of the longest chain of fastest times from a release.
// Open edges: for policies that choose how tensors come, too.
Bound LowerBound(const Problem& problem, OpenEdges edges = OpenEdges::kNo);

// The linear program where a solver is built in and it is of moderate size.
struct Division {
  std::vector<std::int64_t> weights;        // for ProvedDivision: the program's dual, or balanced ones
  std::vector<std::vector<double>> shares;  // per class and unit, about; empty without a solver
};
Division Divide(std::span<const WorkClass> classes, std::span<const std::int64_t> slots);
Nanos DivisionBound(std::span<const WorkClass> classes, std::span<const std::int64_t> slots);

}  // namespace tandem
