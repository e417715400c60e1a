// tandem profiles merge PROFILE...
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/costs/combine.h"
#include "profiles/costs/model_identity.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem::profiles_merge {
namespace {

struct MergeArguments {
  std::vector<std::string> profiles;
  std::string output;
  bool force = false, json = false;
};

std::vector<Profile> ReadAll(const std::vector<std::string>& names) {
  std::vector<Profile> profiles;
  for (const std::string& name : names) {
    try {
      profiles.push_back(ReadProfileFile(FindFile(name, {}, "boards", ".profile.json")));
    } catch (const InputError& error) {
      throw InputError("profiles merge: " + std::string(error.what()));
    }
  }
  return profiles;
}

std::set<std::string> ModelsOf(const Profile& profile) {
  std::set<std::string> models;
  for (const CostEntry& entry : profile.entries) models.insert(entry.model);
  return models;
}

std::string Summary(const MergedProfile& merged, std::size_t profiles) {
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  std::string text = Counted(static_cast<std::int64_t>(profiles), "profile") + " of " +
                     merged.profile.platform + ": " +
                     Counted(count(merged.profile.entries), "entry", "entries") + " of " +
                     Counted(count(ModelsOf(merged.profile)), "model") + "\n";
  for (const std::string& note : merged.notes) text += note + "\n";
  return text;
}

nlohmann::ordered_json SummaryJson(const MergedProfile& merged, std::size_t profiles) {
  return {{"profiles", profiles},
          {"platform", merged.profile.platform},
          {"entries", merged.profile.entries.size()},
          {"models", ModelsOf(merged.profile)},
          {"passed_over", merged.notes}};
}

int Merge(const MergeArguments& arguments) {
  std::vector<Profile> profiles = ReadAll(arguments.profiles);
  const Outputs outputs({{"-o", arguments.output, {"profile/1"}}}, arguments.force, arguments.json);
  const bool streams = arguments.output.empty() || outputs.ToStandardOutput();
  MergedProfile merged = MergeProfiles(std::move(profiles), streams ? "" : arguments.output);
  AddStructures(merged.profile);
  const std::string profile = ProfileJson(merged.profile);
  const std::size_t count = arguments.profiles.size();
  const std::string summary =
      arguments.json ? JsonOutput(SummaryJson(merged, count)) : Summary(merged, count);
  const Outputs outputs({{"-o", arguments.output, {"profile/1"}}}, true, arguments.json);
  if (arguments.output.empty()) {
    WriteError(summary);
    WriteOutput(profile);
  } else {
    WriteFile(arguments.output, profile);
    outputs.Say(summary);
  }
  return kExitDone;
}

void Declare(Command& command, MergeArguments& arguments) {
  command
      .Add("PROFILE", &arguments.profiles,
           "profiles of one board: names of what tandem ships, or their files")
      .Required();
  command.Add("-o,--output", &arguments.output, "write the profile to this file").Shown("FILE");
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print the summary as JSON");
  command.Footer(
      "What both say alike is there once. Of entries that differ the one that was measured later is taken, "
      "and\n"
      "said; of one date, or not measured, they are an error. The origin lists those of all.\n"
      "Examples:\n"
      "  tandem profiles merge monday.profile.json friday.profile.json -o mine.profile.json\n"
      "  tandem profiles merge ./mine.profile.json friday.profile.json > both.profile.json");
}

const CommandRegistration kProfilesMerge{
    {.name = "profiles merge", .summary = "one profile of several of one board", .order = 35},
    Declare,
    Merge};

}  // namespace
}  // namespace tandem::profiles_merge
