// tandem profiles diff OLD NEW
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/costs/profile_diff.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "scenarios/baseline/tolerance.h"

namespace tandem::profiles_diff {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShownDigits = 1e6;  // of probabilities: beyond them libraries differ

struct DiffArguments {
  std::string before, after, least;
  bool all = false, json = false;
};

Profile ProfileNamed(const std::string& name) {
  try {
    return ReadProfileFile(FindFile(name, {}, "boards", ".profile.json"));
  } catch (const InputError& error) {
    throw InputError("profiles diff: " + std::string(error.what()));
  }
}

std::int64_t CountOf(const std::vector<ProfileDiffRow>& rows, TimeMove move) {
  std::int64_t count = 0;
  for (const ProfileDiffRow& row : rows) count += row.move == move ? 1 : 0;
  return count;
}

Json OrNull(const std::optional<double>& value) {
  return value ? Json(std::round(*value * kShownDigits) / kShownDigits) : Json(nullptr);
}
Json MedianJson(const std::optional<Timing>& time) {
  return time ? Json(time->median.count()) : Json(nullptr);
}
Json SamplesJson(const std::optional<Timing>& time) {
  return time ? Json(time->samples.size()) : Json(nullptr);
}

Json DiffJson(const DiffArguments& arguments, const std::vector<ProfileDiffRow>& rows) {
  Json json = {{"old", arguments.before}, {"new", arguments.after}};
  for (const auto& [name, move] : kTimeMoveNames) json[std::string(name)] = CountOf(rows, move);
  json["rows"] = Json::array();
  for (const ProfileDiffRow& row : rows) {
    json["rows"].push_back({{"move", NameOf(kTimeMoveNames, row.move)},
                            {"kind", row.kind},
                            {"unit", row.unit},
                            {"what", row.what},
                            {"old_ns", MedianJson(row.before)},
                            {"new_ns", MedianJson(row.after)},
                            {"change", OrNull(row.Change())},
                            {"old_samples", SamplesJson(row.before)},
                            {"new_samples", SamplesJson(row.after)},
                            {"p", OrNull(row.p)},
                            {"false_discovery_rate", OrNull(row.rate)}});
  }
  return json;
}

std::string MedianText(const std::optional<Timing>& time) {
  return time ? ExactMillis(time->median) : std::string("-");
}

std::string CountsText(const std::vector<ProfileDiffRow>& rows) {
  std::string text = Counted(static_cast<std::int64_t>(rows.size()), "time") + ": ";
  for (const auto& [name, move] : kTimeMoveNames) {
    const std::int64_t count = CountOf(rows, move);
    if (count > 0) text += std::to_string(count) + " " + std::string(name) + ", ";
  }
  return text.substr(0, text.size() - 2);
}

std::string DiffText(const DiffArguments& arguments, const std::vector<ProfileDiffRow>& rows,
                     std::size_t width) {
  Table table({{"move"},
               {"kind"},
               {"unit", false, true},
               {"what", false, true},
               {"old, ms", true},
               {"new, ms", true},
               {"change", true},
               {"noise?", true}});
  bool any = false;
  for (const ProfileDiffRow& row : rows) {
    if (row.move == TimeMove::kSame && !arguments.all) continue;
    any = true;
    const auto change = row.Change();
    table.Add({std::string(NameOf(kTimeMoveNames, row.move)), row.kind, row.unit, row.what,
               MedianText(row.before), MedianText(row.after), change ? SignedPercent(*change, 1) : "-",
               row.rate ? Percent(*row.rate, 1) : "-"});
  }
  return Wrapped(CountsText(rows), width) + (any ? table.Text(width) : "");
}

// "2%" as 0.02.
double LeastMove(const std::string& text) {
  if (text.empty()) return 0;
  const auto least = ParseTolerance(text);
  if (!least || !least->percent)
    throw InputError("--least: expected a percentage such as 2%, not " + Quoted(text));
  return least->amount / 100;
}

int Diff(const DiffArguments& arguments) {
  const double least = LeastMove(arguments.least);
  const Profile before = ProfileNamed(arguments.before), after = ProfileNamed(arguments.after);
  const std::vector<ProfileDiffRow> rows = DiffProfiles(before, after, least);
  if (rows.empty()) throw InputError("profiles diff: neither profile has a time");
  const std::int64_t alone = CountOf(rows, TimeMove::kGone) + CountOf(rows, TimeMove::kNew);
  if (alone == static_cast<std::int64_t>(rows.size())) {
    WriteNote("no time is in both: " + arguments.before + " is of platform " + Quoted(before.platform) +
              ", " + arguments.after + " of " + Quoted(after.platform) + "\n");
  }
  WriteOutput(arguments.json ? JsonOutput(DiffJson(arguments, rows))
                             : DiffText(arguments, rows, OutputWidth()));
  return kExitDone;
}

void Declare(Command& command, DiffArguments& arguments) {
  command.Add("OLD", &arguments.before, "a profile's file, or a name of `tandem profiles list`").Required();
  command.Add("NEW", &arguments.after, "another one").Required();
  command.Add("--least", &arguments.least, "what moved by less is not told").Shown("P%");
  command.Flag("--all", &arguments.all, "show what did not move, too");
  command.Flag("--json", &arguments.json, "print JSON, with what did not move");
  command.Footer(
      "What has samples in both is tested against their spread; of what is told as slower or\n"
      "faster at most 5 % is noise, however many times are compared. What has medians alone is\n"
      "told as untested.\n"
      "Examples:\n  tandem profiles diff old.profile.json new.profile.json\n"
      "  tandem profiles diff old.profile.json new.profile.json --least 2% --json");
}

const CommandRegistration kProfilesDiff{
    {.name = "profiles diff", .summary = "which times moved beyond their noise", .order = 25}, Declare, Diff};

}  // namespace
}  // namespace tandem::profiles_diff
