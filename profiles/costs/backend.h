// What every program knows of the backends that run units, whether or not it has their code. A backend is a
// folder device/backends/<name>/; about.cc there declares it in one object at namespace scope:
//
//   const BackendDeclared kTpu{{.name = "tpu", .summary = "...", .device = KeyUse::kNeeded}};
//
// Others ask for what a backend declares, never for its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/json_reader.h"

namespace tandem {

// May a unit that names the backend have the key?
enum class KeyUse : std::uint8_t { kRefused, kAllowed, kNeeded };

// What the kernels of a unit run on: who can keep it busy, whose sensors tell what it draws.
enum class RunsOn : std::uint8_t {
  kHostCores,
  kNvidiaCard,  // of the number `device`, as CUDA and NVML count
  kOther,       // something that the backend alone knows
  kNothing      // a processor that is not here: the unit waits as long as a profile says
};

struct BackendDeclaration {
  std::string_view name = {};     // as platforms say it
  std::string_view summary = {};  // what a unit of it is
  // The unit's own keys. Without any backend `cores` and `device` still say which units exclude each other.
  KeyUse cores = KeyUse::kAllowed, device = KeyUse::kRefused, command = KeyUse::kRefused;
  RunsOn runs_on = RunsOn::kOther;
  std::vector<std::string_view> precisions = {"fp32"};  // of the variants that it runs units in
  // Operations, as models name them, that it has no kernel for: whoever runs such a layer is told so.
  std::vector<std::string_view> lacks = {};
  std::string_view loads = {};  // what a load made here keeps busy, "cards"; empty: nothing of it
  bool takes_inputs = true;     // false: its units run on inputs of their own, or on none
  bool heeds_urgency = false;   // of tasks on the slots of a unit the most urgent go first
  bool yardstick = false;       // plain kernels, there on every machine, that others are held against

  bool Measurable() const { return runs_on != RunsOn::kNothing; }
  // Do its units take tensors and give them, as numbers in float whatever they compute in?
  bool HandsOnFloats() const { return Measurable() && takes_inputs; }
  // Is a unit just its cores, which the program pins and loads?
  bool OwnsCores() const { return cores == KeyUse::kNeeded && runs_on == RunsOn::kHostCores; }
};

struct BackendDeclared {
  explicit BackendDeclared(BackendDeclaration declaration);
};

// In order of name; alive to the end of the program.
const std::vector<const BackendDeclaration*>& DeclaredBackends();
const BackendDeclaration& DeclaredBackend(std::string_view name);  // which there is
// The first one of which that is true, which there is.
const BackendDeclaration& DeclaredBackendThat(bool (*is)(const BackendDeclaration&));

// Throws InputError, with "did you mean".
const BackendDeclaration* ReadBackendName(const JsonReader& value);
// Throws InputError where the unit has a key that its backend, or none (null), does not allow, or lacks one.
void CheckBackendKeys(const JsonReader& unit, const BackendDeclaration* backend);
std::string BackendKeysSchema();  // the same rules as a JSON Schema

}  // namespace tandem
