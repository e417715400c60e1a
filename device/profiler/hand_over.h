// What a task takes longer where another unit of its memory has made what it reads, and what parts of a split
// layer take beside their work: as the harness hands over, waits and wakes.
#pragma once

#include <cstdint>
#include <vector>

#include "device/processor/backend.h"
#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {

struct HandOverMeasurement {
  std::vector<std::int64_t> sizes = {0, 64 << 10, 512 << 10, 4 << 20};  // bytes, ascending
  std::int64_t requests = 24;                                           // of a round
  std::size_t rounds = 9;
};

// Rounds in random order; a sample of each: how much longer the median reader took than where its own unit
// had made what it read, at least nothing. One entry per size. Opens both units: nothing else may use them
// meanwhile.
std::vector<HandOverEntry> MeasureHandOver(const Platform& platform, UnitId from, UnitId to,
                                           const HandOverMeasurement& how, std::uint64_t seed,
                                           const FindBackend& backend_of);

// The units of a platform that may hand over to each other while both work, by name, each pair once.
using UnitPairs = std::vector<std::pair<std::string, std::string>>;
UnitPairs PairsInOneMemory(const ProfilerBench& bench);

// Both ways of each pair, where that was not measured yet. Adds to `samples`. `budget` 0: as many rounds as
// usual; else fewer where they would take longer. The bench is closed by then.
void MeasureHandOvers(const ProfileOrder& request, const UnitPairs& pairs, Nanos budget,
                      const FindBackend& backend_of, ProfilerWatch& watch, ProfilerSamples& samples);

}  // namespace tandem
