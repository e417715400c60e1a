// Runs of a sweep on this machine, or under mpirun on all that it was started on: those that have no row yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "profiles/program/long_run.h"
#include "sim/sweep/runs.h"
#include "sim/workers/crew.h"

namespace tandem {

struct SweepWork {
  Engine engine = Engine::kVirtual;
  std::filesystem::path folder;
  std::size_t jobs = 0;  // 0: one per core that this process may use
  std::optional<std::chrono::milliseconds> timeout;
  bool isolate = false;
  bool retry_failed = false;  // each in a process of its own: one that failed may take others with it
};

struct SweepProgress {
  std::int64_t there_before = 0, done = 0, failed = 0;
  bool is_first = true;   // of several ranks the one that talks; it knows no `done` and `failed`
  bool is_alone = false;  // a rank that cannot talk to the others: it has done nothing
};

// Makes the folder. Throws InputError where it has rows of another version, EnvironmentError.
SweepProgress WorkOff(const Sweep& sweep, const std::vector<SweepRun>& runs, const SweepWork& work,
                      LongRun& watch);
SweepProgress WorkOffInRanks(const Sweep& sweep, const std::vector<SweepRun>& runs, const SweepWork& work,
                             std::int64_t ranks, LongRun& watch);

}  // namespace tandem
