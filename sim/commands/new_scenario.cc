// tandem new scenario -o FILE
#include <algorithm>
#include <filesystem>
#include <set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_text.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/profile.h"
#include "profiles/dumps/times_table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/questions.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/scenario.h"
#include "sim/commands/new_names.h"
#include "sim/commands/objective_option.h"
#include "sim/commands/table_options.h"
#include "sim/study/begin_platform.h"
#include "sim/study/begin_scenario.h"

namespace tandem::new_scenario {
namespace {

namespace fs = std::filesystem;

struct NewScenarioArguments {
  std::string file, name, board, objective;
  std::vector<std::string> profiles, streams, policies, deadlines;
  TableOptions table;
  bool force = false;
};

constexpr std::string_view kDevice = "device";  // the board that answers
const std::vector<std::string> kUsualPolicies = {"fcfs", "sjf", "eft", "best"};

fs::path FileOfBoard(const std::string& board) {
  try {
    return FindFile(board, {}, "boards", ".platform.json");
  } catch (const InputError& error) {
    throw InputError("--board: " + std::string(error.what()) + "; \"device\" is the one that answers");
  }
}

bool IsDevice(const std::string& board) { return board == kDevice; }

// Of a board that is shipped, or whose files lie here, the profile that is called as it is.
std::vector<std::string> ProfilesOf(const std::string& board) {
  if (IsDevice(board)) return {};
  if (IsShippedName(board)) {
    const auto names = ShippedNames("boards", ".profile.json");
    return std::find(names.begin(), names.end(), board) == names.end() ? std::vector<std::string>()
                                                                       : std::vector{board};
  }
  constexpr std::string_view kSuffix = ".platform.json";
  std::error_code unknown;
  std::string beside = board;
  if (beside.ends_with(kSuffix)) beside.resize(beside.size() - kSuffix.size());
  beside += ".profile.json";
  return fs::exists(beside, unknown) ? std::vector{beside} : std::vector<std::string>();
}

// A table needs no board: its columns are the units of one.
std::string BoardOfTable(const TimesTable& table, const std::string& name) {
  PlatformWords words;
  words.name = name;
  words.units = table.units;
  try {
    return PlatformFrom(words, "the board of " + table.file);
  } catch (const InputError& error) {
    throw InputError(table.file + ": its columns make no board: " + error.what() +
                     "; `tandem new platform` makes one, and --board names it");
  }
}

std::string InPlace(std::string json) {
  while (json.ends_with('\n')) json.pop_back();
  for (std::size_t end = json.find('\n'); end != std::string::npos; end = json.find('\n', end + 1)) {
    json.insert(end + 1, " ");
  }
  return json;
}

// Fills in board, profiles and, where none is named, streams.
void TakeTable(const NewScenarioArguments& arguments, ScenarioWords& words) {
  const std::string board =
      arguments.board.empty() ? NameOfFile(arguments.table.file, ".csv", "board") : arguments.board;
  std::vector<std::string> units;
  if (!arguments.board.empty()) units = ReadPlatformFile(FileOfBoard(arguments.board)).UnitNames();
  const TimesTable table = ReadTable(arguments.table, units);
  if (arguments.board.empty()) words.platform = InPlace(BoardOfTable(table, board));
  const std::string named = arguments.board.empty() ? board : NameFrom(arguments.file, board);
  words.profiles.push_back(
      InPlace(ProfileJson(ProfileOf(table, named, arguments.table.source, arguments.file))));
  words.transfer = false;
  if (!words.streams.empty()) return;
  const fs::path folder = fs::path(arguments.table.file).parent_path();
  for (const std::string& model : table.models) {
    words.streams.push_back(IsShippedName(model) ? model : (folder / model).string());
  }
}

// Do the profiles know only whole models? Then what they took includes what moves data, as far as anybody
// knows.
bool MovesData(const std::vector<std::string>& profiles) {
  for (const std::string& name : profiles) {
    const Profile profile = ReadProfileFile(FindFile(name, {}, "boards", ".profile.json"));
    for (const CostEntry& entry : profile.entries) {
      if (!entry.layers.empty()) return true;
    }
    if (!profile.transfers.empty()) return true;
  }
  return profiles.empty();
}

ScenarioWords WordsOf(const NewScenarioArguments& arguments) {
  ScenarioWords words;
  words.file = arguments.file;
  words.name =
      arguments.name.empty() ? NameOfFile(arguments.file, ".scenario.json", "scenario") : arguments.name;
  words.streams = arguments.streams;
  words.deadlines = arguments.deadlines;
  words.policies = arguments.policies.empty() ? kUsualPolicies : arguments.policies;
  words.objective = arguments.objective;
  const std::vector<std::string> profiles = arguments.profiles.empty() && arguments.table.file.empty()
                                                ? ProfilesOf(arguments.board)
                                                : arguments.profiles;
  if (!arguments.board.empty()) {
    if (!IsDevice(arguments.board)) (void)FileOfBoard(arguments.board);
    words.platform =
        JsonString(IsDevice(arguments.board) ? arguments.board : NameFrom(arguments.file, arguments.board));
  }
  for (const std::string& profile : profiles)
    words.profiles.push_back(JsonString(NameFrom(arguments.file, profile)));
  words.transfer = MovesData(profiles);
  words.batch = arguments.table.batch;
  if (!arguments.table.file.empty()) TakeTable(arguments, words);
  return words;
}

// With what was answered before, in a scenario that has what it still lacks.
void JudgeSoFar(NewScenarioArguments arguments, const std::string& stream, const std::string& policy) {
  if (!stream.empty()) arguments.streams.push_back(stream);
  arguments.policies = {policy.empty() ? kUsualPolicies[0] : policy};
  arguments.file = "the scenario";
  (void)ScenarioFrom(WordsOf(arguments));
}

void AskFor(const Questions& questions, NewScenarioArguments& arguments) {
  if (arguments.table.file.empty()) {
    questions.Ask("The board: a name of `tandem boards list`, a file, or device for the one that answers", "",
                  arguments.board, [](const std::string& board) {
                    if (!IsDevice(board)) (void)FileOfBoard(board);
                  });
    questions.AskList(
        "Streams of requests, [NAME=]MODEL[@30fps][*COUNT]; @20/s: at random, @closed: one after the other",
        {}, arguments.streams, [&](const std::string& word) { JudgeSoFar(arguments, word, ""); });
  }
  questions.AskList(
      "Policies to compare, names of `tandem policies list`", kUsualPolicies, arguments.policies,
      [&](const std::string& word) { JudgeSoFar(arguments, "", word); }, Questions::Line::kNames);
  questions.Ask("Write it to", "mine.scenario.json", arguments.file,
                [&](const std::string& file) { JudgeBegunFile(file, arguments.force); });
}

std::string Next(const NewScenarioArguments& arguments, bool simulates) {
  return simulates ? ": tandem simulate " + arguments.file
                   : ": tandem validate " + arguments.file +
                         ", which measures first; to simulate, name a profile: tandem new profile";
}

int NewScenario(NewScenarioArguments arguments) {
  const bool table = !arguments.table.file.empty();
  const Questions questions("new scenario",
                            {{"--board BOARD, or --table FILE", arguments.board.empty() && !table},
                             {"--stream MODEL", arguments.streams.empty() && !table},
                             {"-o FILE", arguments.file.empty()}});
  AskFor(questions, arguments);
  const ScenarioWords words = WordsOf(arguments);
  const std::string text = ScenarioFrom(words);
  const Outputs outputs = BegunFile(arguments.file, arguments.force);
  WriteFile(arguments.file, text);
  outputs.Say(arguments.file + ": " + Counted(static_cast<std::int64_t>(words.streams.size()), "stream") +
              ", " + Counted(static_cast<std::int64_t>(words.policies.size()), "policy", "policies") + "\n");
  WriteNextStep(arguments.file, Next(arguments, !words.profiles.empty()));
  return kExitDone;
}

void Declare(Command& command, NewScenarioArguments& arguments) {
  command.Add("-o,--output", &arguments.file, "the scenario's file").Shown("FILE");
  command.Add("--name", &arguments.name, "the scenario's name; else its file's");
  command
      .Add("--board", &arguments.board,
           "a name of `tandem boards list`, its file, or \"device\": the one that answers")
      .Shown("BOARD");
  command
      .Add("--profile", &arguments.profiles,
           "its times; else the profile that is called as the board is, where there is one")
      .OneWord();
  command
      .Add("--stream", &arguments.streams,
           "requests: [NAME=]MODEL[@ARRIVAL][*COUNT]; ARRIVAL is 30fps or 33ms (periodic), 20/s (at random), "
           "closed, offline; *10s instead of a count is for how long")
      .OneWord()
      .Shown("STREAM");
  command.Add("--deadline", &arguments.deadlines, "of every request, 33ms; of one stream's, camera=33ms")
      .OneWord()
      .Separated(',')
      .Shown("[NAME=]TIME");
  command.Add("--policy", &arguments.policies, "to compare: fcfs,eft; else " + Joined(kUsualPolicies, ","))
      .Separated(',')
      .OneWord();
  AddObjective(command, arguments.objective);
  (void)AddTableOptions(
      command, arguments.table,
      "inferences of every request, and of one time of the table, where it does not say it (1)");
  AddForce(command, arguments.force);
  command.Footer(
      "What is not given is asked for on a terminal. With --table alone the board is made of the table's "
      "units, and\n"
      "every model of it is a stream.\n"
      "Examples:\n  tandem new scenario --table times.csv -o quick.scenario.json\n"
      "  tandem new scenario --board tinker-edge-r --stream camera=mobilenet_v2@30fps --stream "
      "'resnet50*100' "
      "--policy fcfs,eft,best --deadline camera=33ms -o camera.scenario.json\n"
      "  tandem new scenario --board device --stream squeezenet_1_1@closed -o here.scenario.json");
}

const CommandRegistration kNewScenario{{.name = "new scenario",
                                        .summary = "a question: streams of requests on a board, and policies",
                                        .order = 10},
                                       Declare,
                                       NewScenario};

}  // namespace
}  // namespace tandem::new_scenario
