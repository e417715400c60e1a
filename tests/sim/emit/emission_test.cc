// Does --emit write a target's folder whole or not at all, replace nothing unasked, and tell what a target
// cannot say?
#include "sim/emit/emission.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/program.h"
#include "tests/support/command_answer.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What CONTRIBUTING.md shows of an added target.
Emitted Emit(const Deployment& deployment) {
  Emitted emitted;
  std::string text;
  for (const DeployedTask& task : deployment.tasks()) {
    text += deployment.scenario().streams[task.stream.index()].name + " " + std::to_string(task.index) + " " +
            deployment.platform().unit(task.unit).name + "\n";
  }
  emitted.Add("deep/down/tasks.txt", text);
  for (const Stream& stream : deployment.scenario().streams) {
    emitted.Lacks("stream \"" + stream.name + "\": notes do not run");
  }
  return emitted;
}

const EmitterRegistration kNotes{{.name = "notes", .summary = "a line per task", .emit = Emit}};

// A second one, one of whose files cannot be written.
Emitted EmitTooMuch(const Deployment&) {
  Emitted emitted;
  emitted.files.push_back({"go", "#!/bin/sh\n", true});
  EmittedFile file;
  file.path = "late";
  file.write = [](const fs::path&) { throw EnvironmentError("no room for it"); };
  emitted.files.push_back(file);
  return emitted;
}

const EmitterRegistration kTooMuch{{.name = "too_much", .summary = "cannot be written", .emit = EmitTooMuch}};

// A third one that writes what can be run, all of it at once.
Emitted EmitProgram(const Deployment&) {
  Emitted emitted;
  emitted.files.push_back({"go", "#!/bin/sh\n", true});
  return emitted;
}

const EmitterRegistration kProgram{{.name = "program", .summary = "to be run", .emit = EmitProgram}};

// A fourth one, with a place that its owner fills in.
Emitted EmitPlace(const Deployment&) {
  Emitted emitted;
  emitted.Add("notes", "tandem's");
  EmittedFile place{"place", "empty"};
  place.stays = true;
  emitted.files.push_back(std::move(place));
  return emitted;
}

const EmitterRegistration kPlace{{.name = "place", .summary = "to be filled in", .emit = EmitPlace}};

// A fifth one, which looks at the folder while it is written; where it is there, a file's place is taken.
Emitted EmitLook(const Deployment&) {
  Emitted emitted;
  emitted.Add("before", "new");
  EmittedFile look;
  look.path = "late";
  look.write = [](const fs::path& to) {
    const bool within = to.parent_path().parent_path().filename() == "out";
    const fs::path out = to.parent_path().parent_path() / (within ? "." : "out");
    WriteFile(to, fs::exists(out) ? "beside what was there" : "before there was a folder");
    if (within) fs::create_directories(out / "late");
  };
  emitted.files.push_back(std::move(look));
  return emitted;
}

const EmitterRegistration kLook{{.name = "look", .summary = "looks around", .emit = EmitLook}};

// Not as the program reads: what this process has read counts as an input of its commands.
std::string TextOf(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class EmitOption : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string ScenarioFile() const {
    WriteFile(Path("a.scenario.json"), R"({
        "tandem": "scenario/1", "name": "two", "transfer": "none", "objective": "makespan", "policies": ["fcfs", "eft"],
        "platform": {"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}],
                     "units": [{"name": "u", "kind": "cpu", "memory": "m"}, {"name": "v", "kind": "cpu", "memory": "m"}]},
        "profiles": [{"tandem": "profile/1", "platform": "b", "origin": {"kind": "published", "source": "x"},
                      "entries": [{"model": "alexnet", "unit": "u", "layers": "*", "median_us": 10},
                                  {"model": "alexnet", "unit": "v", "layers": "*", "median_us": 30}]}],
        "streams": [{"name": ")" + stream_ +
                                           R"(", "model": "alexnet", "count": 3, "arrival": )" + arrival_ +
                                           "}]}");
    return Path("a.scenario.json");
  }
  CommandAnswer Plan(std::vector<std::string> words) const {
    words.insert(words.begin(), {"plan", ScenarioFile(), "--engine", "virtual", "--policy", policy_});
    return AnswerOf({.name = "tandem", .summary = "", .version = ""}, words);
  }

  TempFolder folder_;
  std::string stream_ = "s", arrival_ = R"({"type": "offline"})", policy_ = "eft";
};

TEST_F(EmitOption, WritesAFolderWithThePlanAndWhatIsNotExpressed) {
  const CommandAnswer answer = Plan({"--emit", "notes", "-o", Path("out")});
  ASSERT_EQ(answer.status, kExitDone) << answer.errors;
  EXPECT_EQ(TextOf(Path("out/deep/down/tasks.txt")), "s 0 u\ns 1 u\ns 2 u\n");
  EXPECT_EQ(fs::status(Path("out/plan.json")).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(TextOf(Path("out/NOT_EXPRESSED.md")),
            "# What notes cannot express\n\nThis folder was written by tandem for notes, from the plan of "
            "policy `eft` "
            "for \"two\" (plan.json). What the plan says and these files do not:\n\n- stream \"s\": notes do "
            "not run\n");
  EXPECT_NE(answer.output.find("What notes cannot express:\n- stream \"s\": notes do not run\n"),
            std::string::npos)
      << answer.output;
  // The plan refers to the scenario's files from where it stands.
  const CommandAnswer again = AnswerOf({.name = "tandem", .summary = "", .version = ""},
                                       {"simulate", Path("out/plan.json"), "--engine", "virtual"});
  EXPECT_EQ(again.status, kExitDone) << again.errors;
}

TEST_F(EmitOption, JsonSaysWhatWasWritten) {
  const CommandAnswer answer = Plan({"--emit", "notes", "-o", Path("out"), "--json"});
  const Json result = Json::parse(answer.output);
  EXPECT_EQ(result["plan"], Path("out/plan.json"));
  EXPECT_EQ(result["emitted"], Json({{"target", "notes"},
                                     {"folder", Path("out")},
                                     {"files", {"NOT_EXPRESSED.md", "deep/down/tasks.txt", "plan.json"}},
                                     {"not_expressed", {"stream \"s\": notes do not run"}}}));
  EXPECT_TRUE(Json::parse(Plan({"--json"}).output)["emitted"].is_null());
}

TEST_F(EmitOption, ReplacesNothingUnasked) {
  WriteFile(Path("mine"), "kept");
  fs::create_directories(Path("out"));
  WriteFile(Path("out/go"), "kept");
  WriteFile(Path("out/other"), "kept");
  CommandAnswer answer = Plan({"--emit", "program", "-o", Path("out")});
  EXPECT_EQ(answer.status, kExitBadInput);
  EXPECT_EQ(answer.errors,
            Path("out/go") + ": is there already, and --emit would replace it; --force does it\n");
  EXPECT_FALSE(fs::exists(Path("out/plan.json")));
  EXPECT_EQ(TextOf(Path("out/go")), "kept");
  EXPECT_EQ(Plan({"--emit", "program", "-o", Path("out"), "--force"}).status, kExitDone);
  EXPECT_EQ(TextOf(Path("out/go")), "#!/bin/sh\n");
  EXPECT_NE(fs::status(Path("out/go")).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(fs::status(Path("out/plan.json")).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(TextOf(Path("out/other")), "kept");
  EXPECT_NE(TextOf(Path("out/NOT_EXPRESSED.md")).find("Everything that the plan says is said in it."),
            std::string::npos);
  answer = Plan({"--emit", "program", "-o", Path("mine"), "--force"});
  EXPECT_EQ(answer.errors, Path("mine") + ": is a file, and --emit writes a folder; give -o another name\n");
  EXPECT_EQ(TextOf(Path("mine")), "kept");
}

TEST_F(EmitOption, ReplacesNoInputEvenWhenAsked) {
  stream_ = "s";
  const std::string scenario = ScenarioFile();
  fs::create_directories(Path("out"));
  fs::rename(scenario, Path("out/go"));
  const CommandAnswer answer = AnswerOf(
      {.name = "tandem", .summary = "", .version = ""},
      {"plan", Path("out/go"), "--engine", "virtual", "--emit", "program", "-o", Path("out"), "--force"});
  EXPECT_EQ(answer.status, kExitBadInput);
  EXPECT_EQ(answer.errors, Path("out/go") +
                               ": is an input of this command, which --emit would overwrite; "
                               "give -o another folder\n");
}

TEST_F(EmitOption, LeavesNothingWhereAFileCannotBeWritten) {
  const CommandAnswer answer = Plan({"--emit", "too_much", "-o", Path("out")});
  EXPECT_EQ(answer.status, kExitFailed);
  EXPECT_EQ(answer.errors, "tandem: no room for it\n");
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename(), "a.scenario.json");
  }
}

TEST_F(EmitOption, ANewFolderIsThereWholeOrNotAtAll) {
  ASSERT_EQ(Plan({"--emit", "look", "-o", Path("out/")}).status, kExitDone);
  EXPECT_EQ(TextOf(Path("out/late")), "before there was a folder");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "the folder and the scenario";
}

TEST_F(EmitOption, AFolderWhoseFilesWereReplacedInPartHasNoPlan) {
  ASSERT_EQ(Plan({"--emit", "look", "-o", Path("out")}).status, kExitDone);
  fs::remove(Path("out/late"));
  WriteFile(Path("out/before"), "old");
  const CommandAnswer answer = Plan({"--emit", "look", "-o", Path("out"), "--force"});
  EXPECT_EQ(answer.status, kExitFailed);
  EXPECT_NE(answer.errors.find(Path("out/late") + ": cannot be written"), std::string::npos) << answer.errors;
  EXPECT_EQ(TextOf(Path("out/before")), "new");
  EXPECT_FALSE(fs::exists(Path("out/plan.json")));
}

TEST_F(EmitOption, WhatItsOwnerHasFilledInStays) {
  ASSERT_EQ(Plan({"--emit", "place", "-o", Path("out")}).status, kExitDone);
  EXPECT_EQ(TextOf(Path("out/place")), "empty");
  WriteFile(Path("out/place"), "mine");
  WriteFile(Path("out/notes"), "mine");
  const CommandAnswer again = Plan({"--emit", "place", "-o", Path("out"), "--force", "--json"});
  ASSERT_EQ(again.status, kExitDone) << again.errors;
  EXPECT_EQ(TextOf(Path("out/place")), "mine");
  EXPECT_EQ(TextOf(Path("out/notes")), "tandem's");
  EXPECT_EQ(Json::parse(again.output)["emitted"]["files"],
            Json({"NOT_EXPRESSED.md", "notes", "place", "plan.json"}));
}

// The greatest number that a process could have: none does.
TEST_F(EmitOption, ClearsWhatAKilledCommandLeftBehindBesideANewFolder) {
  fs::create_directories(Path("out.part2147483647/models"));
  fs::create_directories(Path("out.part1/models"));
  const CommandAnswer answer = Plan({"--emit", "notes", "-o", Path("out")});
  ASSERT_EQ(answer.status, kExitDone) << answer.errors;
  EXPECT_FALSE(fs::exists(Path("out.part2147483647")));
  EXPECT_TRUE(fs::exists(Path("out.part1/models"))) << "whoever writes there may yet end";
}

TEST_F(EmitOption, ClearsWhatAKilledCommandLeftBehind) {
  const std::string dead = ".part2147483647", alive = ".part1", mine = ".parts";
  for (const std::string& name : {dead, alive, mine}) fs::create_directories(Path("out/" + name + "/models"));
  const CommandAnswer answer = Plan({"--emit", "notes", "-o", Path("out")});
  ASSERT_EQ(answer.status, kExitDone) << answer.errors;
  EXPECT_FALSE(fs::exists(Path("out/" + dead)));
  EXPECT_TRUE(fs::exists(Path("out/" + alive + "/models"))) << "whoever writes there may yet end";
  EXPECT_TRUE(fs::exists(Path("out/" + mine + "/models")));
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 5) << "plan, list, notes and those two";
}

// Where that lies on another file system, or where nobody may write beside it, as in a container.
TEST_F(EmitOption, WritesNowhereButIntoItsFolder) {
  fs::create_directories(Path("held/there"));
  fs::create_directory_symlink(Path("held/there"), Path("out"));
  const auto before = fs::last_write_time(Path("held"));
  const CommandAnswer answer = Plan({"--emit", "notes", "-o", Path("out")});
  ASSERT_EQ(answer.status, kExitDone) << answer.errors;
  EXPECT_EQ(TextOf(Path("held/there/deep/down/tasks.txt")), "s 0 u\ns 1 u\ns 2 u\n");
  EXPECT_EQ(fs::last_write_time(Path("held")), before);
}

TEST_F(EmitOption, FollowsNoLinkOutOfItsFolder) {
  fs::create_directories(Path("elsewhere"));
  fs::create_directories(Path("out"));
  fs::create_directory_symlink(Path("elsewhere"), Path("out/deep"));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--force"}}) {
    std::vector<std::string> words = {"--emit", "notes", "-o", Path("out")};
    words.insert(words.end(), more.begin(), more.end());
    const CommandAnswer answer = Plan(words);
    EXPECT_EQ(answer.status, kExitBadInput);
    EXPECT_NE(answer.errors.find(Path("out/deep") + ": is a link"), std::string::npos) << answer.errors;
    EXPECT_TRUE(fs::is_empty(Path("elsewhere")));
  }
}

TEST(Emitted, SaysASentenceOnce) {
  Emitted emitted;
  emitted.Lacks("said twice");
  emitted.Lacks("said twice");
  EXPECT_EQ(emitted.not_expressed, std::vector<std::string>({"said twice"}));
}

TEST_F(EmitOption, RefusesWhatCannotBeMeant) {
  const auto error = [&](const std::vector<std::string>& words) {
    const CommandAnswer answer = Plan(words);
    EXPECT_EQ(answer.status, kExitBadInput);
    EXPECT_EQ(answer.output, "");
    return answer.errors;
  };
  EXPECT_EQ(error({"--emit", "note", "-o", Path("out")}),
            "--emit: there is no target \"note\"; did you mean \"notes\"?\n");
  EXPECT_EQ(error({"--emit", "notes"}), "--emit: needs a folder to write to: -o DIR\n");
  EXPECT_EQ(error({"--emit", "notes", "-o", "-"}), "--emit: writes a folder, which -o - is not: -o DIR\n");
}

// A search sees arrivals that are still to come: it is shown, and never wins.
TEST_F(EmitOption, WritesNothingWhereNobodyWins) {
  arrival_ = R"({"type": "poisson", "rate_per_s": 100})";
  policy_ = "best";
  const CommandAnswer answer = Plan({"--emit", "notes", "-o", Path("out"), "--json"});
  EXPECT_EQ(answer.status, kExitNo) << answer.errors;
  EXPECT_TRUE(Json::parse(answer.output)["emitted"].is_null());
  EXPECT_FALSE(fs::exists(Path("out")));
}

TEST_F(EmitOption, IsInTheHelpWithAllTargets) {
  const std::string help = std::regex_replace(Plan({"--help"}).output, std::regex("\\s+"), " ");
  EXPECT_NE(help.find("notes (a line per task)"), std::string::npos) << help;
  EXPECT_NE(help.find("onnxruntime (sessions"), std::string::npos) << help;
}

TEST(PlainNames, AreUniqueAndSafeInAnyShell) {
  PlainNames names;
  EXPECT_EQ(names.Of("resnet50"), "resnet50");
  EXPECT_EQ(names.Of("a/b c"), "a_b_c");
  EXPECT_EQ(names.Of("a b/c"), "a_b_c_2");
  EXPECT_EQ(names.Of(".."), "_..");
  EXPECT_EQ(names.Of(""), "_");
}

}  // namespace
}  // namespace tandem
