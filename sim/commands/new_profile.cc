// tandem new profile -o FILE
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/model_identity.h"
#include "profiles/costs/platform.h"
#include "profiles/dumps/times_table.h"
#include "profiles/model/model_source.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/questions.h"
#include "profiles/program/shipped.h"
#include "sim/commands/new_names.h"
#include "sim/commands/table_options.h"

namespace tandem::new_profile {
namespace {

struct NewProfileArguments {
  std::string board, file;
  TableOptions table;
  std::vector<std::string> models;
  bool force = false;
};

Platform BoardOf(const std::string& board) {
  try {
    return ReadPlatformFile(FindFile(board, {}, "boards", ".platform.json"));
  } catch (const InputError& error) {
    throw InputError("--board: " + std::string(error.what()));
  }
}

void JudgeModel(const std::string& model, const std::vector<std::string>& before) {
  if (std::find(before.begin(), before.end(), model) != before.end()) {
    throw InputError("--model: " + Quoted(model) + " is given twice");
  }
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  try {
    (void)LoadModel(model, {}, graph_alone);
  } catch (const InputError& error) {
    throw InputError("--model: " + std::string(error.what()));
  }
}

// Every model on every unit, with no time yet.
Profile Skeleton(const NewProfileArguments& arguments, const Platform& board) {
  Profile profile;
  profile.platform = NameFrom(arguments.file, arguments.board);
  profile.note =
      "Begun by `tandem new profile`. Put a time for every null: median_us takes microseconds of one "
      "inference of the whole model, median_ms milliseconds. Take out the entry of a unit that cannot run "
      "the model. Then say in origin where the times are from: {\"kind\": \"published\", \"source\": ...}. "
      "Until then nothing computes with this file. `tandem schema profile` and docs/formats.md have all "
      "keys: batch, precision, energy_j of an entry; transfers; co_running.";
  profile.origin.kind = OriginKind::kEstimated;
  profile.origin.method = "not said yet by whoever filled in the times";
  std::vector<std::string> before;
  for (const std::string& model : arguments.models) {
    JudgeModel(model, before);
    before.push_back(model);
    for (const Unit& unit : board.units) {
      CostEntry entry;
      entry.model = tandem::NameFrom(model, {}, arguments.file);
      entry.unit = unit.name;
      entry.time.to_fill_in = true;
      profile.entries.push_back(std::move(entry));
    }
  }
  return profile;
}

Profile FromTable(const NewProfileArguments& arguments, const Platform& board) {
  const TimesTable table = ReadTable(arguments.table, board.UnitNames());
  Profile profile =
      ProfileOf(table, NameFrom(arguments.file, arguments.board), arguments.table.source, arguments.file);
  profile.note =
      "Begun by `tandem new profile` from a table of whole models' times. origin says where they are from: "
      "add board, clocks, libraries and date there. docs/formats.md has all keys.";
  return profile;
}

void AskFor(const Questions& questions, NewProfileArguments& arguments) {
  questions.Ask("The board, a name of `tandem boards list` or a file", "", arguments.board,
                [](const std::string& board) { (void)BoardOf(board); });
  if (arguments.models.empty()) {
    std::string table = arguments.table.file;
    questions.Ask("A table of times (CSV), or none", "none", table, [](const std::string& file) {
      if (file != "none") (void)ReadTextFile(file);
    });
    if (table != "none") arguments.table.file = table;
  }
  if (arguments.table.file.empty()) {
    questions.AskList(
        "The models, names of `tandem models list` or files", {}, arguments.models,
        [&](const std::string& model) { JudgeModel(model, arguments.models); }, Questions::Line::kNames);
  }
  questions.Ask("Write it to", NameOfFile(arguments.board, ".platform.json", "board") + ".profile.json",
                arguments.file, [&](const std::string& file) { JudgeBegunFile(file, arguments.force); });
}

int NewProfile(NewProfileArguments arguments) {
  const bool nothing = arguments.models.empty() && arguments.table.file.empty();
  const Questions questions("new profile",
                            {{"--board BOARD", arguments.board.empty()},
                             {"--table FILE (times), or --model MODEL (to be filled in)", nothing},
                             {"-o FILE", arguments.file.empty()}});
  AskFor(questions, arguments);
  const Platform board = BoardOf(arguments.board);
  const bool from_table = !arguments.table.file.empty();
  const Profile profile = from_table ? FromTable(arguments, board) : Skeleton(arguments, board);
  const std::string text = ProfileJson(profile);
  ReadBegunProfile(JsonDocument::Parse(text, arguments.file).root());
  const Outputs outputs = BegunFile(arguments.file, arguments.force);
  WriteFile(arguments.file, text);
  std::set<std::string> models;
  for (const CostEntry& entry : profile.entries) models.insert(entry.model);
  outputs.Say(arguments.file + ": " +
              Counted(static_cast<std::int64_t>(profile.entries.size()),
                      from_table ? "time" : "time to fill in", from_table ? "times" : "times to fill in") +
              " of " + Counted(static_cast<std::int64_t>(models.size()), "model") + "\n");
  WriteNextStep(arguments.file, std::string(from_table ? ": " : ", when they are filled in: ") +
                                    "tandem new scenario --board " + arguments.board + " --profile " +
                                    arguments.file + " --stream " + *models.begin() + " -o FILE");
  return kExitDone;
}

void Declare(Command& command, NewProfileArguments& arguments) {
  command.Add("-o,--output", &arguments.file, "the profile's file").Shown("FILE");
  command.Add("--board", &arguments.board, "the board: a name of `tandem boards list`, or its file")
      .Shown("BOARD");
  const auto table = AddTableOptions(command, arguments.table);
  command
      .Add("--model", &arguments.models,
           "without a table: models whose times are to be filled in, on every unit")
      .OneWord()
      .Separated(',')
      .Excludes({table});
  AddForce(command, arguments.force);
  command.Footer(
      "What is not given is asked for on a terminal.\n"
      "A table has a row a model and a column a unit, or the columns model, unit and a time; separated by "
      "commas,\n"
      "semicolons or tabs. Its heading says the unit of time: cpu_ms, time_us. Columns batch, precision and\n"
      "variant may be in both.\n"
      "Examples:\n  tandem new profile --board myboard.platform.json --table times.csv -o my.profile.json\n"
      "  tandem new profile --board tinker-edge-r --model resnet50,vgg16 -o mine.profile.json\n"
      "  tandem new profile --board myboard.platform.json --table long.csv --precision fp16 --source \"our "
      "lab, "
      "TensorRT 8.6\" -o my.profile.json");
}

const CommandRegistration kNewProfile{
    {.name = "new profile", .summary = "a board's times, from a table or to be filled in", .order = 30},
    Declare,
    NewProfile};

}  // namespace
}  // namespace tandem::new_profile
