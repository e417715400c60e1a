// tandem profiles list | show NAME, and the other subcommands' common home
#include "profiles/program/command_line.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/figures.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/costs/board_profile.h"
#include "profiles/costs/profile.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem::profiles {
namespace {

constexpr const char* kFolder = "boards";
constexpr const char* kSuffix = ".profile.json";

struct ProfilesArguments {
  std::string name, store;
  bool json = false;
};

// A model on a unit, in one variant and batch.
struct Row {
  std::string unit;
  std::string variant;
  std::string model;
  std::int64_t batch = 1;
  friend auto operator<=>(const Row&, const Row&) = default;
};
struct Sum {
  std::size_t entries = 0;
  Nanos layers{0};             // of groups and single layers
  std::optional<Nanos> whole;  // of the whole model's own entry
};

std::map<Row, Sum> SumsOf(const Profile& profile) {
  std::map<Row, Sum> sums;
  for (const CostEntry& entry : profile.entries) {
    Sum& sum = sums[{entry.unit, entry.variant.Text(), entry.model, entry.batch}];
    ++sum.entries;
    if (entry.layers.empty()) {
      sum.whole = entry.time.median;
    } else {
      sum.layers += entry.time.median;
    }
  }
  return sums;
}

void AddStored(const BoardProfile& kept, nlohmann::ordered_json& list, Table& table) {
  const Profile& profile = kept.profile;
  const std::string& file = profile.file;
  std::set<std::string> models;
  for (const CostEntry& entry : profile.entries) models.insert(entry.model);
  list.push_back({{"board", kept.board},
                  {"state", kept.state},
                  {"file", file},
                  {"platform", profile.platform},
                  {"host", profile.origin.host},
                  {"date", profile.origin.date},
                  {"clocks", profile.origin.clocks},
                  {"entries", profile.entries.size()},
                  {"parts", kept.parts.size()},
                  {"models", models}});
  table.Add({kept.board, kept.state.empty() ? "-" : kept.state, profile.platform, profile.origin.date,
             std::to_string(profile.entries.size()), Joined(models, ", ", BaseName), file});
}

int ListStore(const ProfilesArguments& arguments) {
  auto list = nlohmann::ordered_json::array();
  Table table({{"board"},
               {"state"},
               {"platform", false, true},
               {"measured"},
               {"entries", true},
               {"models", false, false, true},
               {"file", false, true}});
  for (const BoardProfile& kept : ProfileStore(arguments.store).All()) AddStored(kept, list, table);
  if (list.empty()) throw InputError(arguments.store + ": holds no board's profile");
  WriteOutput(arguments.json ? JsonOutput(list) : table.Text(OutputWidth()));
  return kExitDone;
}

int List(const ProfilesArguments& arguments) {
  if (!arguments.store.empty()) return ListStore(arguments);
  auto list = nlohmann::ordered_json::array();
  Table table({{"profile"},
               {"origin"},
               {"entries", true},
               {"units", false, false, true},
               {"models", false, false, true}});
  for (const std::string& name : ShippedNames(kFolder, kSuffix)) {
    const Profile profile = ReadProfileFile(ShippedDirectory() / kFolder / (name + kSuffix));
    std::set<std::string> units, models;
    for (const CostEntry& entry : profile.entries) {
      units.insert(entry.unit);
      models.insert(entry.model);
    }
    const std::string origin(NameOf(kOriginKindNames, profile.origin.kind));
    list.push_back({{"name", name},
                    {"platform", profile.platform},
                    {"origin", origin},
                    {"entries", profile.entries.size()},
                    {"units", units},
                    {"models", models}});
    table.Add({name, origin, std::to_string(profile.entries.size()), Joined(units), Joined(models)});
  }
  WriteOutput(arguments.json ? JsonOutput(list) : table.Text(OutputWidth()));
  return kExitDone;
}

nlohmann::ordered_json ShowJson(const Profile& profile) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [row, sum] : SumsOf(profile)) {
    nlohmann::ordered_json json = {{"unit", row.unit},
                                   {"variant", row.variant},
                                   {"model", row.model},
                                   {"batch", row.batch},
                                   {"entries", sum.entries}};
    const bool has_layers = sum.entries > (sum.whole ? 1U : 0U);
    json["layers_ms"] = has_layers ? nlohmann::ordered_json(InMillis(sum.layers)) : nullptr;
    json["whole_model_ms"] = sum.whole ? nlohmann::ordered_json(InMillis(*sum.whole)) : nullptr;
    rows.push_back(std::move(json));
  }
  return {{"platform", profile.platform},
          {"origin", NameOf(kOriginKindNames, profile.origin.kind)},
          {"from", profile.origin.source + profile.origin.method},
          {"error", profile.origin.error ? nlohmann::ordered_json(*profile.origin.error) : nullptr},
          {"note", profile.note},
          {"times", std::move(rows)}};
}

std::string ShowText(const Profile& profile) {
  Table table({{"unit"},
               {"variant"},
               {"model", false, true},
               {"batch", true},
               {"entries", true},
               {"layers, ms", true},
               {"whole, ms", true}});
  for (const auto& [row, sum] : SumsOf(profile)) {
    const bool has_layers = sum.entries > (sum.whole ? 1U : 0U);
    table.Add({row.unit, row.variant, BaseName(row.model), std::to_string(row.batch),
               std::to_string(sum.entries), has_layers ? kMillis.Text(sum.layers) : "-",
               sum.whole ? kMillis.Text(*sum.whole) : "-"});
  }
  const std::size_t width = OutputWidth();
  std::string text = Wrapped(
      profile.platform + ", " + std::string(NameOf(kOriginKindNames, profile.origin.kind)) + ": " +
          profile.origin.source + profile.origin.method +
          (profile.origin.error ? "; +-" + PercentInTenths(*profile.origin.error) + " that all share" : ""),
      width);
  if (!profile.note.empty()) text += Wrapped(profile.note, width);
  return text + table.Text(width);
}

int Show(const ProfilesArguments& arguments) {
  std::filesystem::path file;
  try {
    file = FindFile(arguments.name, {}, kFolder, kSuffix);
  } catch (const InputError& error) {
    throw InputError("profiles show: " + std::string(error.what()));
  }
  const Profile profile = ReadProfileFile(file);
  WriteOutput(arguments.json ? JsonOutput(ShowJson(profile)) : ShowText(profile));
  return kExitDone;
}

const CommandRegistration kProfiles{
    {.name = "profiles", .summary = "what is known of boards: times of models and layers", .order = 90},
    "Examples:\n  tandem profiles list\n  tandem profiles show jetson-tx1\n"
    "  tandem profiles import dump.json --model resnet50 --platform jetson-tx1 --unit gpu"};

void DeclareList(Command& command, ProfilesArguments& arguments) {
  command.Add("STORE", &arguments.store, "a folder of `tandem profiles measure`, instead of what is shipped");
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Examples:\n  tandem profiles list\n  tandem profiles list --json\n  tandem profiles list lab-store");
}

const CommandRegistration kProfilesList{
    {.name = "profiles list", .summary = "the profiles that tandem ships, or those of a store", .order = 10},
    DeclareList,
    List};

void DeclareShow(Command& command, ProfilesArguments& arguments) {
  command.Add("NAME", &arguments.name, "a name of `tandem profiles list`, or a profile's file").Required();
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Examples:\n  tandem profiles show jetson-tx1\n  tandem profiles show ./mine.profile.json --json");
}

const CommandRegistration kProfilesShow{
    {.name = "profiles show", .summary = "a profile's origin and its times per unit and model", .order = 20},
    DeclareShow,
    Show};

}  // namespace
}  // namespace tandem::profiles
