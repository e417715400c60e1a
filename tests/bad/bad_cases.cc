#include "tests/bad/bad_cases.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "profiles/base/files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kBad = fs::path(TANDEM_TEST_DIR) / "bad";
const std::string kCases = ".cases.json", kBase = ".base.json";

// What stands before `ending` in the names that end so, sorted.
std::vector<std::string> Stems(const std::string& ending) {
  std::vector<std::string> stems;
  for (const auto& file : fs::directory_iterator(kBad)) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(ending)) stems.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

Json ReadJson(const std::string& name) { return Json::parse(ReadTextFile(kBad / name)); }

std::string TextOf(const std::string& kind, const Json& entry) {
  if (!entry.contains("patch"))
    return ReadTextFile(kBad / "whole" / (entry["name"].get<std::string>() + ".json"));
  return ReadJson(kind + kBase).patch(entry["patch"]).dump(1);
}

}  // namespace

void PrintTo(const BadCase& bad, std::ostream* out) { *out << bad.name; }

std::vector<BadCase> BadCases() {
  std::vector<BadCase> cases;
  for (const std::string& kind : Stems(kCases)) {
    for (const Json& entry : ReadJson(kind + kCases)) {
      cases.push_back({entry["name"], TextOf(kind, entry), entry["message"]});
    }
  }
  return cases;
}

std::vector<BadCase> BadBases() {
  std::vector<BadCase> bases;
  for (const std::string& kind : Stems(kBase)) {
    bases.push_back({kind, ReadTextFile(kBad / (kind + kBase)), ""});
  }
  return bases;
}

BadFolder::BadFolder() : root_(fs::temp_directory_path() / ("tandem_bad_" + std::to_string(::getpid()))) {
  fs::remove_all(root_);
  fs::create_directories(root_ / "bad");
  fs::copy(kBad / "parts", root_ / "bad" / "parts");
  fs::copy(kBad.parent_path() / "good", root_ / "good");
  fs::current_path(root_ / "bad");
  for (const auto& files : {BadCases(), BadBases()}) {
    for (const BadCase& file : files) WriteFile(file.name + ".json", file.text);
  }
}

BadFolder::~BadFolder() {
  fs::current_path(root_.parent_path());
  fs::remove_all(root_);
}

}  // namespace tandem
