#include "sim/engine/simgrid_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "profiles/base/input_error.h"
#include "sim/engine/in_child.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

// lib/tandem stands beside the program's folder, installed and in the build tree; a program that was copied
// elsewhere from a build tree takes that one's.
fs::path WhereItLies() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path().parent_path() / "lib" / "tandem" / TANDEM_SIMGRID_FILE;
  return !error && fs::exists(beside, error) ? beside
                                             : fs::path(TANDEM_BUILD_LIBRARIES) / TANDEM_SIMGRID_FILE;
}

[[noreturn]] void Fail() {
  const char* const why = ::dlerror();
  throw EnvironmentError(std::string("SimGrid cannot be loaded: ") +
                         (why != nullptr ? why : "no reason given") + "; --engine virtual does without");
}

// It and what it brings along look for names among themselves before they ask the program: a third of the
// linker's work is saved. Sanitizers do not allow that.
#ifdef TANDEM_SANITIZED
constexpr int kHow = RTLD_LAZY | RTLD_LOCAL;
#else
constexpr int kHow = RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

const SimGridLibrary& Load() {
  void* const library = ::dlopen(WhereItLies().c_str(), kHow);
  if (library == nullptr) Fail();
  const void* const given = ::dlsym(library, kSimGridLibrary);
  if (given == nullptr) Fail();
  return *static_cast<const SimGridLibrary*>(given);
}

}  // namespace

const SimGridLibrary& LoadSimGrid() {
  static const SimGridLibrary& library = Load();
  return library;
}

std::string SimGridVersion() { return TANDEM_SIMGRID_VERSION; }

Outcome RunOnSimGridHere(const Problem& problem, Policy& policy, const RunOptions& options,
                         const SimGridOptions& simgrid) {
  return LoadSimGrid().run(problem, policy, options, simgrid);
}

// Loaded before the child is there, so that the next one finds it.
Outcome RunOnSimGrid(const Problem& problem, Policy& policy, const RunOptions& options) {
  LoadSimGrid();
  return RunInChild(options,
                    [&](const RunOptions& within) { return RunOnSimGridHere(problem, policy, within); });
}

Outcome RunFluidOnSimGrid(const Problem& problem, Policy& policy, const RunOptions& options) {
  LoadSimGrid();
  return RunInChild(options, [&](const RunOptions& within) {
    return RunOnSimGridHere(problem, policy, within, {.energy_plugin = false, .fluid = true});
  });
}

}  // namespace tandem
