// What others take of the time of this program's threads: the host of a virtual machine, other processes.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "profiles/base/time.h"

namespace tandem {

// Processor time of the calling thread; without what the host took of its core, where the system knows.
Nanos ThreadTimeNow();

// Of a thread that is busy all along, on one core: what others took of `wall` is not in `cpu`. Reading that
// clock is in `cpu`, so that it is the longer of the two wherever nothing was taken.
inline Nanos OwnTime(Nanos wall, Nanos cpu) { return std::min(wall, cpu); }

// What the host has taken of these cores, all in all, since the system started; nothing where it is not told.
std::optional<Nanos> StolenFrom(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");
// How long that thread of this process has waited for a core that others had; nothing where it is not told.
std::optional<Nanos> WaitedForCore(pid_t thread, const std::filesystem::path& root = "/");

// How long these cores have been busy with anything, what the host has taken of them included; in ticks.
std::optional<Nanos> BusyOn(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");
// Processor time of a process of ours; nothing where it is gone.
std::optional<Nanos> ProcessTime(pid_t process);

// At one moment, of some cores and the threads that work there.
struct TakenReading {
  Nanos at{0};
  std::optional<Nanos> stolen, waited;
  std::optional<Nanos> others = {};  // how long the cores were busy with what is not this process; in ticks
};
TakenReading ReadTaken(std::span<const std::int64_t> cores, std::span<const pid_t> threads,
                       const std::filesystem::path& root = "/");
// The part of the cores' time between the two that others had; nothing where nothing tells.
std::optional<double> ShareTaken(const TakenReading& before, const TakenReading& after, std::size_t cores);
// The same by what others did there, but for two ticks of the clock by which that is told: where threads of
// ours have a core together, they wait for each other, and their waiting tells of nobody else.
std::optional<double> ShareOfOthers(const TakenReading& before, const TakenReading& after, std::size_t cores);

}  // namespace tandem
