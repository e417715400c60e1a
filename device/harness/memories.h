// Which memory each of a platform's memories is here.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/processor/backend.h"

namespace tandem {

// A unit that computes, and what its processor works from.
struct OpenedUnit {
  UnitId unit;
  TensorMemory* memory = nullptr;
  TensorMemory* host_memory = nullptr;
};

struct HarnessMemory {
  TensorMemory* memory = &HostMemory();
  UnitId owner;  // one whose copiers reach it; invalid: the host's code does
};

// Per memory of the platform. The first one is the host's, taken as the units reach it best; the others are
// those of the units that work there, the host's where these read it. Throws EnvironmentError where units of
// one memory of the platform work from several here.
std::vector<HarnessMemory> MemoriesHere(const Platform& platform, std::span<const OpenedUnit> units);

// Do only emulated units work there? Then nothing comes or goes: who copies waits as long as it would take.
bool OnlyEmulated(const Platform& platform, MemoryId memory);

// What copies on one thread, which opens and destroys them.
struct PlaceCopiers {
  std::vector<Copier*> of_memory;  // per memory of the platform; null: the host's code, or nobody, copies
  std::vector<std::unique_ptr<Copier>> opened;

  Copier* Of(MemoryId memory) const {
    return memory.index() < of_memory.size() ? of_memory[memory.index()] : nullptr;
  }
};

}  // namespace tandem
