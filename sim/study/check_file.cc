#include "sim/study/check_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/json_write.h"
#include "profiles/base/table.h"
#include "profiles/model/model_json.h"
#include "profiles/model/model_source.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/measured_room.h"
#include "scenarios/scenario/plan.h"
#include "scenarios/scenario/scenario.h"
#include "sim/study/before_a_run.h"
#include "sim/study/known_data.h"
#include "sim/study/room_check.h"
#include "sim/study/scenario_summary.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Throws InputError where no kind has that name. Another version of a kind is for the kind's own reader to
// refuse.
const FileKindDeclaration& KindOf(const JsonReader& root) {
  const std::string_view kind = FileKind(root);
  std::vector<std::string_view> known;
  for (const FileKindDeclaration& declared : FileKinds()) {
    if (!declared.judge) continue;
    if (declared.Name() == kind.substr(0, kind.find('/'))) return declared;
    known.push_back(declared.kind);
  }
  root.Get("tandem").Fail("unknown kind of file " + Quoted(kind) +
                          Suggestion(kind, std::span<const std::string_view>(known)));
}

// Every file of the project is a JSON object; a network from elsewhere goes by its suffix.
bool IsJson(const std::string& file) {
  const fs::path suffix = fs::path(file).extension();
  std::error_code error;
  if (suffix.empty() || suffix == ".json" || !fs::is_regular_file(file, error)) return true;
  std::ifstream stream(file);
  char first = 0;
  return stream >> first && first == '{';
}

void CheckJson(const std::string& file, CheckedFile& checked, bool want_settings) {
  const JsonDocument document = JsonDocument::ReadFile(file);
  const FileKindDeclaration& kind = KindOf(document.root());
  checked.kind = kind.kind;
  checked.summary = kind.judge(document.root());
  const bool plan = kind.Name() == "plan";
  if (!plan && kind.Name() != "scenario") return;
  const Scenario scenario = plan ? ReadPlan(document.root()).scenario : ReadScenario(document.root());
  BeforeARun before = JudgeBeforeARun(scenario);
  if (!before.problems.empty()) throw InputError(Joined(before.problems, "\n"));
  checked.not_judged = std::move(before.not_judged);
  checked.fits = std::ranges::none_of(MeasuredRooms(scenario), &MeasuredRoom::CannotFit);
  checked.known = want_settings ? JsonLine(KnownJson(scenario))
                                : KnownText(scenario, OutputWidth()) + RoomText(scenario, OutputWidth());
  if (!want_settings || plan) return;
  const auto again = nlohmann::ordered_json::parse(ReadTextFile(file));
  checked.settings = JsonLine(EffectiveSettings(scenario, again));
}

void CheckForeignModel(CheckedFile& checked) {
  checked.kind = fs::path(checked.file).extension().string().substr(1);
  checked.summary = ModelSummary(ImportModel(checked.file).model);
}

struct ShippedKind {
  std::string_view folder, suffix;
};
constexpr std::array<ShippedKind, 4> kShippedKinds = {{{"scenarios", ".scenario.json"},
                                                       {"sweeps", ".sweep.json"},
                                                       {"boards", ".platform.json"},
                                                       {"boards", ".profile.json"}}};

}  // namespace

std::vector<std::string> FilesToCheck(const std::string& argument) {
  if (!IsShippedName(argument)) return {argument};
  std::vector<std::string> files, known;
  for (const ShippedKind& kind : kShippedKinds) {
    for (const std::string& name : ShippedNames(kind.folder, kind.suffix)) {
      known.push_back(name);
      if (name != argument) continue;
      files.push_back((ShippedDirectory() / kind.folder / (name + std::string(kind.suffix))).string());
    }
  }
  if (!files.empty()) return files;
  std::error_code error;
  std::string hint = Suggestion(argument, known);
  if (hint.empty()) hint = "; `tandem scenarios list` and `tandem boards list` show what there is";
  if (fs::exists(argument, error)) hint = "; a file of yours is ./" + argument;
  throw InputError(argument + ": tandem ships no scenario and no board of that name" + hint);
}

CheckedFile CheckFile(const std::string& file, bool want_settings) {
  CheckedFile checked;
  checked.file = NameOfInput(file);
  try {
    if (IsJson(file)) {
      CheckJson(file, checked, want_settings);
    } else {
      CheckForeignModel(checked);
    }
  } catch (const InputError& error) {
    checked.problem = error.what();
  }
  return checked;
}

}  // namespace tandem
