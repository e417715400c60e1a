// What SimGrid's own library of the program gives, which is loaded where SimGrid is used: as packaged it
// brings ns-3 along, and the dynamic linker takes longer for both than for all the rest of a start.
#pragma once

#include <string>

#include "sim/engine/simgrid_runner.h"

namespace tandem {

struct SimGridLibrary {
  std::string (*version)();
  Outcome (*run)(const Problem& problem, Policy& policy, const RunOptions& options,
                 const SimGridOptions& simgrid);
  // A platform file as BoardOfPlatformFile has it. Once per process, instead of a run.
  std::string (*read_platform)(const std::string& file);
};

// The name by which the library gives it.
inline constexpr const char* kSimGridLibrary = "tandem_simgrid_library";

// Loads it on the first call. Throws EnvironmentError where it cannot be loaded.
const SimGridLibrary& LoadSimGrid();

}  // namespace tandem
