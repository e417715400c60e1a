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
#include "profiles/costs/profile.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem::profiles {
namespace {

constexpr const char* kFolder = "boards";
constexpr const char* kSuffix = ".profile.json";

struct ProfilesArguments {
  std::string name;
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

int List(const ProfilesArguments& arguments) {
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
  std::string text =
      Wrapped(profile.platform + ", " + std::string(NameOf(kOriginKindNames, profile.origin.kind)) + ": " +
                  profile.origin.source + profile.origin.method,
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
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer("Examples:\n  tandem profiles list\n  tandem profiles list --json");
}

const CommandRegistration kProfilesList{
    {.name = "profiles list", .summary = "the profiles that tandem ships", .order = 10}, DeclareList, List};

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
