// One of several equal parts of a sweep, for machines that share nothing but its folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/runs.h"

namespace tandem {

struct Shard {
  std::int64_t index = 1, count = 1;  // from 1
};

// "2/8"; throws InputError.
Shard ShardNamed(const std::string& text);

// That of Slurm's array task, or of the rank under mpirun or srun; nothing: neither. Throws InputError where
// what they say cannot be.
std::optional<Shard> ShardOfArrayTask();
std::optional<Shard> ShardOfRank();

// Was this process started by an MPI that it could talk to, or does it only have a rank?
bool IsRankOfMpi();

// Its runs: every `count`-th, so that neighbours, which take about as long, are spread.
std::vector<SweepRun> RunsOfShard(const std::vector<SweepRun>& runs, const Shard& shard);

}  // namespace tandem
