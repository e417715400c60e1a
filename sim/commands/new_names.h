// What files that tandem begins call themselves, and the scenarios that they are of.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "profiles/base/files.h"
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

}  // namespace tandem
