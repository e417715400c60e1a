// tandem profiles merge PROFILE...
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/costs/board_profile.h"
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

bool AreStores(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    std::error_code error;
    return std::filesystem::is_directory(name, error);
  });
}

// What both have of a board in a state becomes one profile.
int MergeStores(const MergeArguments& arguments) {
  if (arguments.output.empty()) throw InputError("profiles merge: -o: stores become one in a folder");
  const ProfileStore into(arguments.output);
  std::set<std::string> files;
  std::vector<std::string> notes;
  std::int64_t new_parts = 0;
  for (const std::string& name : arguments.profiles) {
    const ProfileStore from(name);
    for (const BoardProfile& kept : from.All()) {
      const Platform platform = ReadPlatformFile(from.PlatformOf(kept.board, kept.state));
      const ProfileStore::Added added = into.Add(kept, platform, Prefer::kNewer);
      files.insert(into.FileOf(kept.board, kept.state).string());
      notes.insert(notes.end(), added.notes.begin(), added.notes.end());
      new_parts += added.new_parts;
    }
  }
  if (arguments.json) {
    WriteOutput(JsonOutput({{"stores", arguments.profiles.size()},
                            {"files", files},
                            {"new_parts", new_parts},
                            {"passed_over", notes}}));
    return kExitDone;
  }
  std::string text = Counted(static_cast<std::int64_t>(files.size()), "profile") + " in " + arguments.output +
                     ", " + Counted(new_parts, "new part") + "\n";
  for (const std::string& note : notes) text += note + "\n";
  WriteOutput(text);
  return kExitDone;
}

int Merge(const MergeArguments& arguments) {
  if (AreStores(arguments.profiles)) return MergeStores(arguments);
  std::vector<Profile> profiles = ReadAll(arguments.profiles);
  const Outputs outputs({{"-o", arguments.output, {"profile/1"}}}, arguments.force, arguments.json);
  const bool streams = arguments.output.empty() || outputs.ToStandardOutput();
  MergedProfile merged = MergeProfiles(std::move(profiles), streams ? "" : arguments.output);
  AddStructures(merged.profile);
  const std::string profile = ProfileJson(merged.profile);
  const std::size_t count = arguments.profiles.size();
  const std::string summary =
      arguments.json ? JsonOutput(SummaryJson(merged, count)) : Summary(merged, count);
  if (arguments.output.empty()) {
    WriteNote(summary);
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
           "profiles of one board: names of what tandem ships, or their files; or stores")
      .Required();
  command.Add("-o,--output", &arguments.output, "write the profile to this file, stores to this folder")
      .Shown("FILE");
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print the summary as JSON");
  command.Footer(
      "What both say alike is there once. Of entries that differ the one that was measured later is taken, "
      "and\n"
      "said; of one date, or not measured, they are an error. The origin lists those of all. Stores of\n"
      "`tandem profiles measure` become one, board by board and state by state.\n"
      "Examples:\n"
      "  tandem profiles merge monday.profile.json friday.profile.json -o mine.profile.json\n"
      "  tandem profiles merge ./mine.profile.json friday.profile.json > both.profile.json\n"
      "  tandem profiles merge monday-store friday-store -o lab-store");
}

const CommandRegistration kProfilesMerge{
    {.name = "profiles merge", .summary = "one profile of several of one board", .order = 35},
    Declare,
    Merge};

}  // namespace
}  // namespace tandem::profiles_merge
