// tandem boards list
#include <map>
#include <nlohmann/json.hpp>

#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem::boards {
namespace {

constexpr const char* kFolder = "boards";

struct BoardsArguments {
  bool json = false;
};

struct ShippedProfile {
  std::string name, origin;
};

// By the platform that they are of.
std::multimap<std::string, ShippedProfile> ShippedProfiles() {
  constexpr const char* kSuffix = ".profile.json";
  std::multimap<std::string, ShippedProfile> profiles;
  for (const std::string& name : ShippedNames(kFolder, kSuffix)) {
    const Profile profile = ReadProfileFile(ShippedDirectory() / kFolder / (name + kSuffix));
    profiles.insert({profile.platform, {name, std::string(NameOf(kOriginKindNames, profile.origin.kind))}});
  }
  return profiles;
}

int List(const BoardsArguments& arguments) {
  constexpr const char* kSuffix = ".platform.json";
  const auto profiles = ShippedProfiles();
  auto list = nlohmann::ordered_json::array();
  Table table({{"board"}, {"units", false, false, true}, {"profiles", false, false, true}});
  for (const std::string& name : ShippedNames(kFolder, kSuffix)) {
    const Platform platform = ReadPlatformFile(ShippedDirectory() / kFolder / (name + kSuffix));
    auto units = nlohmann::ordered_json::array(), of_board = nlohmann::ordered_json::array();
    for (const Unit& unit : platform.units) {
      units.push_back({{"name", unit.name}, {"kind", NameOf(kUnitKindNames, unit.kind)}});
    }
    std::vector<std::string> shown;
    const auto [begin, end] = profiles.equal_range(platform.name);
    for (auto profile = begin; profile != end; ++profile) {
      of_board.push_back({{"name", profile->second.name}, {"origin", profile->second.origin}});
      shown.push_back(profile->second.name + " (" + profile->second.origin + ")");
    }
    list.push_back({{"name", name}, {"units", std::move(units)}, {"profiles", std::move(of_board)}});
    table.Add({name, Joined(platform.UnitNames()), shown.empty() ? "none" : Joined(shown)});
  }
  WriteOutput(arguments.json ? JsonOutput(list) : table.Text(OutputWidth()));
  return kExitDone;
}

const CommandRegistration kBoards{
    {.name = "boards",
     .summary = "the boards that tandem ships, and which times of them are known",
     .order = 88,
     .also = "board"},
    "Examples:\n  tandem boards list\n  tandem profiles show jetson-tx1"};

void Declare(Command& command, BoardsArguments& arguments) {
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer("Examples:\n  tandem boards list\n  tandem boards list --json");
}

const CommandRegistration kBoardsList{
    {.name = "boards list", .summary = "their names, units and profiles", .order = 10}, Declare, List};

}  // namespace
}  // namespace tandem::boards
