// The unit that a command line names: one of this machine or of a platform, or just some cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/processor/backend.h"

namespace tandem {

struct UnitChoice {
  std::string platform;             // a file or a shipped board; empty: what is found here
  std::string unit;                 // its name, or "reference"; empty: the first
  std::vector<std::int64_t> cores;  // instead of both, each once: a unit of the backend cpu
  bool allow_commands = false;      // it may be a program that the platform names
};

struct ChosenUnit {
  Platform platform;
  UnitId id;
  const DeviceBackend* backend = nullptr;

  const Unit& unit() const { return platform.unit(id); }
};

// Throws InputError with "did you mean", EnvironmentError where there is no unit or its backend is missing.
ChosenUnit ChooseUnit(const UnitChoice& choice);

}  // namespace tandem
