#include "device/harness/memories.h"

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

// Pinned memory of a unit rather than what every program takes.
TensorMemory& BestHostMemory(std::span<const OpenedUnit> units) {
  for (const OpenedUnit& unit : units) {
    if (unit.host_memory != &HostMemory()) return *unit.host_memory;
  }
  return HostMemory();
}

void CheckSame(const Platform& platform, const OpenedUnit& first, const OpenedUnit& other) {
  if (first.memory == other.memory) return;
  const Unit &a = platform.unit(first.unit), &b = platform.unit(other.unit);
  throw EnvironmentError("memory \"" + platform.memories[a.memory.index()].name + "\": units \"" + a.name +
                         "\" and \"" + b.name +
                         "\" work from different memories here; give each of them its own in the platform");
}

}  // namespace

std::vector<HarnessMemory> MemoriesHere(const Platform& platform, std::span<const OpenedUnit> units) {
  TensorMemory& host = BestHostMemory(units);
  std::vector<HarnessMemory> memories(platform.memories.size(), {&host, UnitId()});
  for (std::size_t m = 1; m < memories.size(); ++m) {
    const OpenedUnit* first = nullptr;
    bool own = false;  // of a unit, that the host does not read
    for (const OpenedUnit& unit : units) {
      if (platform.unit(unit.unit).memory != MemoryId(m)) continue;
      own = own || !unit.memory->HostReads();
      if (first && own) CheckSame(platform, *first, unit);
      if (!first) first = &unit;
    }
    if (own) memories[m] = {first->memory, first->unit};
  }
  return memories;
}

bool OnlyEmulated(const Platform& platform, MemoryId memory) {
  if (memory == MemoryId(0)) return false;
  bool any = false;
  for (const Unit& unit : platform.units) {
    if (unit.memory != memory) continue;
    if (!unit.On(RunsOn::kNothing)) return false;
    any = true;
  }
  return any;
}

}  // namespace tandem
