#include "profiles/program/shipped.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

bool HoldsData(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "boards", error) || fs::is_directory(folder / "scenarios", error);
}

std::optional<fs::path> BesideTheProgram() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  return program.parent_path().parent_path() / "share" / "tandem";
}

// Of libtandem-device, in whatever program: lib/x86_64-linux-gnu stands beside share, too.
std::optional<fs::path> BesideTheLibrary() {
  Dl_info here{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<const void*>(&BesideTheProgram), &here) == 0 || here.dli_fname == nullptr) {
    return std::nullopt;
  }
  fs::path folder = fs::canonical(here.dli_fname, error).parent_path();
  for (int up = 0; up < 2 && !error; ++up) {
    folder = folder.parent_path();
    if (HoldsData(folder / "share" / "tandem")) return folder / "share" / "tandem";
  }
  return std::nullopt;
}

fs::path FindShippedDirectory() {
  if (const char* given = std::getenv("TANDEM_DATA_DIR"); given != nullptr && *given != '\0') {
    if (HoldsData(given)) return given;
    throw EnvironmentError(std::string("TANDEM_DATA_DIR: ") + given + " has no folder boards or scenarios");
  }
  const std::optional<fs::path> beside = BesideTheProgram();
  if (beside && HoldsData(*beside)) return *beside;
  if (const auto library = BesideTheLibrary()) return *library;
  if (HoldsData(TANDEM_BUILD_DATA_DIR)) return TANDEM_BUILD_DATA_DIR;
  throw EnvironmentError("the boards and scenarios that tandem ships are neither in " +
                         (beside ? beside->string() : std::string("../share/tandem")) + " nor in " +
                         TANDEM_BUILD_DATA_DIR + "; TANDEM_DATA_DIR may name their folder");
}

// "a.scenario.json" has a suffix, "squeezenet_1.1" has none: a suffix starts with a letter.
bool HasFileSuffix(std::string_view name) {
  const std::string suffix = fs::path(name).extension().string();
  return suffix.size() > 1 && (suffix[1] < '0' || suffix[1] > '9');
}

// The command that lists what of this kind is shipped; empty: there is none.
std::string_view ListCommand(std::string_view suffix) {
  if (suffix == ".scenario.json") return "tandem scenarios list";
  if (suffix == ".platform.json") return "tandem boards list";
  return suffix == ".profile.json" ? "tandem profiles list" : "";
}

}  // namespace

const fs::path& ShippedDirectory() {
  static const fs::path directory = FindShippedDirectory();
  return directory;
}

bool IsShippedName(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name != "." && name != ".." &&
         !IsStandardStream(name) && !HasFileSuffix(name);
}

fs::path FindFile(std::string_view name, const fs::path& from, std::string_view folder,
                  std::string_view suffix) {
  if (!IsShippedName(name)) return FileToRead(name, from);
  fs::path file = ShippedDirectory() / folder / (std::string(name) + std::string(suffix));
  std::error_code error;
  if (fs::exists(file, error)) return file;
  throw InputError("nothing that tandem ships in " + std::string(folder) + " is called " + Quoted(name) +
                   Suggestion(name, ShippedNames(folder, suffix), ListCommand(suffix)));
}

std::vector<std::string> ShippedNames(std::string_view folder, std::string_view suffix) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(ShippedDirectory() / folder, error)) {
    const std::string file = entry.path().filename().string();
    if (file.size() > suffix.size() && file.ends_with(suffix)) {
      names.push_back(file.substr(0, file.size() - suffix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tandem
