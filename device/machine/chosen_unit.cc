#include "device/machine/chosen_unit.h"

#include <algorithm>

#include "device/machine/device_info.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "scenarios/exchange/named_programs.h"

namespace tandem {
namespace {

// A platform of that unit alone.
Platform PlatformOf(Unit unit) {
  Platform platform;
  platform.name = "this-machine";
  platform.memories.emplace_back().name = "dram";
  unit.memory = MemoryId(0);
  platform.units.push_back(std::move(unit));
  return platform;
}

Platform PlatformOfCores(const std::vector<std::int64_t>& cores) {
  Unit unit;
  unit.name = "cpu";
  unit.backend = &DeclaredBackendThat([](const auto& backend) { return backend.OwnsCores(); });
  unit.cores = cores;
  std::sort(unit.cores.begin(), unit.cores.end());
  return PlatformOf(std::move(unit));
}

Platform ReadNamed(const std::string& name) {
  try {
    return ReadPlatformFile(FindFile(name, {}, "boards", ".platform.json"));
  } catch (const InputError& error) {
    if (!IsShippedName(name)) throw;
    throw InputError(std::string("--platform: ") + error.what());
  }
}

UnitId FindNamed(const Platform& platform, const std::string& name) {
  const UnitId id = platform.FindUnit(name);
  if (id.valid()) return id;
  std::vector<std::string> known = platform.UnitNames();
  known.emplace_back("reference");
  throw InputError("--unit: no unit " + Quoted(name) + " in platform " + Quoted(platform.name) +
                   Suggestion(name, known));
}

// The same on every machine, so it needs no platform to name it.
Platform ReferencePlatform() {
  Unit unit;
  unit.name = "reference";
  unit.backend = &DeclaredBackendThat([](const auto& backend) { return backend.yardstick; });
  return PlatformOf(std::move(unit));
}

}  // namespace

ChosenUnit ChooseUnit(const UnitChoice& choice) {
  ChosenUnit chosen;
  if (!choice.cores.empty()) {
    chosen.platform = PlatformOfCores(choice.cores);
  } else {
    chosen.platform = choice.platform.empty() ? LookAtDevice().platform : ReadNamed(choice.platform);
    const bool named = chosen.platform.FindUnit(choice.unit).valid();
    if (choice.unit == "reference" && !named) chosen.platform = ReferencePlatform();
  }
  if (!choice.unit.empty()) {
    chosen.id = FindNamed(chosen.platform, choice.unit);
  } else if (chosen.platform.units.empty()) {
    throw EnvironmentError(
        "no unit can be had here (`tandem-device info` says why); --unit reference always");
  } else {
    chosen.id = UnitId(0);
  }
  CheckAllowed(choice.platform, ProgramsOf(chosen.unit()), choice.allow_commands);
  chosen.backend = &BackendOf(chosen.unit(), choice.platform.empty() ? "--unit" : choice.platform);
  return chosen;
}

}  // namespace tandem
