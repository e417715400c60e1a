#include "sim/questions/other_board.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/profile.h"
#include "profiles/program/shipped.h"
#include "sim/study/one_run.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPlatformEnd = ".platform.json", kProfileEnd = ".profile.json";

bool IsThere(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

struct GivenProfile {
  fs::path file;
  std::string platform;  // the name of the board
  bool used = false;
};

std::vector<GivenProfile> ReadGiven(const std::vector<std::string>& profiles) {
  std::vector<GivenProfile> given;
  for (const std::string& asked : profiles) {
    try {
      const fs::path file = FindFile(asked, {}, "boards", kProfileEnd);
      const Profile profile = ReadProfileFile(file);
      const auto platform = FindProfilePlatform(profile);
      given.push_back({file, platform ? platform->name : profile.platform});
    } catch (const InputError& error) {
      throw InputError("--profiles " + asked + ": " + error.what());
    }
  }
  return given;
}

// The one of its name beside it.
std::vector<fs::path> ProfileBeside(const fs::path& platform) {
  std::string name = platform.filename().string();
  if (!name.ends_with(kPlatformEnd)) return {};
  name.resize(name.size() - kPlatformEnd.size());
  const fs::path beside = platform.parent_path() / (name + std::string(kProfileEnd));
  return IsThere(beside) ? std::vector{beside} : std::vector<fs::path>{};
}

// What of a map by units, or of a list of objects that name one, is of units that there are.
void KeepUnits(const char* key, const std::set<std::string>& units, Json& scenario,
               std::vector<std::string>& left_out) {
  const auto all = scenario.find(key);
  if (all == scenario.end()) return;
  Json kept = all->is_array() ? Json::array() : Json::object();
  for (const auto& [name, member] : all->items()) {
    const std::string unit = !all->is_array() ? name : member.is_object() ? member.value("unit", "") : "";
    if (!unit.empty() && !units.contains(unit)) {
      left_out.push_back(Quoted(key) + " of " + Quoted(unit) + " is left out: there is no such unit" +
                         (std::string_view(key) == "co_compiled" ? " with memory on its chip" : ""));
    } else if (all->is_array()) {
      kept.push_back(member);
    } else {
      kept[name] = member;
    }
  }
  *all = std::move(kept);
}

std::string LabelOf(const Json& policy) {
  if (policy.is_string()) return policy.get<std::string>();
  return policy.is_object() ? policy.value("label", policy.value("name", "")) : policy.dump();
}

// Those that can be read there, one by one.
void KeepPolicies(const std::string& file, Json& scenario, std::vector<std::string>& left_out) {
  const Json all = scenario.value("policies", Json::array());
  Json kept = Json::array();
  for (const Json& policy : all) {
    scenario["policies"] = Json::array({policy});
    try {
      (void)ScenarioToSimulate(JsonLine(scenario), file, {});
      kept.push_back(policy);
    } catch (const InputError& error) {
      left_out.push_back("policy " + Quoted(LabelOf(policy)) +
                         " is left out: " + WithoutPlace(error.what(), file));
    }
  }
  scenario["policies"] = std::move(kept);
}

// As a scenario names it: from wherever it is read.
std::string NameOfBoardFile(const fs::path& file) { return fs::absolute(file).lexically_normal().string(); }

}  // namespace

std::vector<BoardOfChoice> FindBoards(const std::vector<std::string>& asked,
                                      const std::vector<std::string>& profiles) {
  std::vector<GivenProfile> given = ReadGiven(profiles);
  std::vector<BoardOfChoice> boards;
  std::set<fs::path> seen;
  for (const std::string& name : asked) {
    BoardOfChoice board;
    board.asked = name;
    try {
      board.file = FindFile(name, {}, "boards", kPlatformEnd);
      board.platform = ReadPlatformFile(board.file);
    } catch (const InputError& error) {
      const std::string what = error.what();
      throw InputError(what.starts_with(name) ? what : name + ": " + what);
    }
    if (!seen.insert(board.file).second) throw InputError("the board " + Quoted(name) + " is given twice");
    for (GivenProfile& profile : given) {
      if (profile.platform != board.platform.name) continue;
      board.profiles.push_back(profile.file);
      profile.used = true;
    }
    if (board.profiles.empty()) board.profiles = ProfileBeside(board.file);
    boards.push_back(std::move(board));
  }
  for (const GivenProfile& profile : given) {
    if (profile.used) continue;
    throw InputError("--profiles " + profile.file.string() + ": it is of board " + Quoted(profile.platform) +
                     ", which is none of those that are compared");
  }
  return boards;
}

ScenarioOnBoard PutOnBoard(const std::string& text, const std::string& file, const BoardOfChoice& board) {
  Json scenario = Json::parse(text);
  ScenarioOnBoard on;
  const std::vector<std::string> names = board.platform.UnitNames();
  for (const char* key : {"variants", "resident", "background"}) {
    KeepUnits(key, {names.begin(), names.end()}, scenario, on.left_out);
  }
  std::set<std::string> with_chips;
  for (const Unit& unit : board.platform.units) {
    if (unit.on_chip_bytes) with_chips.insert(unit.name);
  }
  KeepUnits("co_compiled", with_chips, scenario, on.left_out);
  scenario["platform"] = NameOfBoardFile(board.file);
  scenario["profiles"] = Json::array();
  for (const fs::path& profile : board.profiles) scenario["profiles"].push_back(NameOfBoardFile(profile));
  Json bare = scenario;
  bare["policies"] = Json::array();
  (void)ScenarioToSimulate(JsonLine(bare), file, {});
  KeepPolicies(file, scenario, on.left_out);
  on.text = JsonLine(scenario);
  return on;
}

std::string WithoutPlace(const std::string& message, const std::string& file) {
  std::string first = message.substr(0, message.find('\n'));
  if (!first.starts_with(file + ":")) return first;
  const std::size_t end = first.find(": ", file.size());
  return end == std::string::npos ? first : first.substr(end + 2);
}

}  // namespace tandem
