// Files that tandem begins: what they call themselves, the scenarios that they are of, and what is in their
// way.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem {

// As the new file is to call it: a shipped name as it is, a file by the way from the new file's folder.
inline std::string NameFrom(const std::filesystem::path& file, const std::string& scenario) {
  if (IsShippedName(scenario)) return scenario;
  const std::string way = WayTo(scenario, file);
  return IsShippedName(way) ? "./" + way : way;
}

// "ci/mine.baseline.json" without folder and suffix; `otherwise` on standard output.
inline std::string NameOfFile(const std::string& file, std::string_view suffix, std::string_view otherwise) {
  if (IsStandardStream(file)) return std::string(otherwise);
  std::string name = std::filesystem::path(file).filename().string();
  if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

// Somebody may have gone on with one that was begun: it is replaced by --force alone, whatever it is.
inline Outputs BegunFile(const std::string& file, bool force) {
  const OutputKind anew{"a new file", [](std::string_view) { return false; }};
  return Outputs({{"-o", file, anew}}, force, false);
}

inline void AddForce(Command& command, bool& force) {
  command.Flag("--force", &force, "replace a file that is there");
}

// For an answer at the terminal, before anything is written.
inline void JudgeBegunFile(const std::string& file, bool force) {
  (void)BegunFile(file, force);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) throw InputError(file + ": is a directory, not a file");
  if (!folder.empty() && !std::filesystem::is_directory(folder, unknown)) {
    throw InputError(file + ": there is no folder " + Quoted(folder.string()));
  }
}

// The next step, where there is a file to take it with.
inline void WriteNextStep(const std::string& file, const std::string& step) {
  if (!IsStandardStream(file)) WriteNote("next" + step + "\n");
}

}  // namespace tandem
