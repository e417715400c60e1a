// A platform of two units of two slots, which share a memory and have plain kernels.
#pragma once

#include "profiles/costs/backend.h"
#include "profiles/costs/platform.h"

namespace tandem {

inline Platform TwoReferenceUnits() {
  Platform platform;
  platform.name = "test";
  platform.memories.push_back({"dram", std::nullopt, std::nullopt});
  for (const char* name : {"first", "second"}) {
    Unit unit;
    unit.name = name;
    unit.memory = MemoryId(0);
    unit.backend = &DeclaredBackend("reference");
    unit.slots = 2;
    platform.units.push_back(unit);
  }
  return platform;
}

}  // namespace tandem
