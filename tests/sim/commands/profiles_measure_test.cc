// Are all boards of a lab profiled side by side into one store, whatever their connections do, and nothing
// twice? The boards are tests/support/fake_device.py behind tests/support/fake_board.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/costs/profile.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class ProfilesMeasure : public testing::Test {
 protected:
  void SetUp() override {
    if (RunShell("python3 -c ''").status != 0) GTEST_SKIP() << "no python3 for the boards that are not there";
    Request({"squeezenet_1_1", "mobilenet_v2"});
  }

  void Request(const std::vector<std::string>& models) const {
    WriteFile(folder_ / "request.json",
              Json{{"tandem", "profile-request/1"}, {"platform", "device"}, {"models", models}}.dump());
  }

  // `plays`: options of the connection; `options`: of the device behind it.
  Json Board(const std::string& name, const std::string& plays = "", const std::string& options = "") const {
    const std::string support = "python3 " TANDEM_TEST_DIR "/support/";
    const std::string own = (folder_ / name).string();
    return {{"name", name},
            {"command", support + "fake_board.py " + plays + " " + own + " " + support + "fake_device.py " +
                            TANDEM_PROGRAM + " " + own + " " + options}};
  }
  void Lab(const std::vector<Json>& boards) const {
    WriteFile(folder_ / "lab.boards.json",
              Json{{"tandem", "boards/1"}, {"name", "lab"}, {"boards", boards}}.dump());
  }

  ProgramResult Run(const std::string& arguments) const {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " " + arguments);
  }
  static std::string MeasureCommand(const std::string& options) {
    return "profiles measure request.json --boards lab.boards.json -o store --wait 0 --json " + options;
  }
  Json Measure(const std::string& options = "", int status = 0) {
    const ProgramResult result = Run(MeasureCommand(options));
    EXPECT_EQ(result.status, status) << result.errors;
    errors_ = result.errors;
    return result.output.empty() ? Json::array() : Json::parse(result.output);
  }

  std::vector<std::string> Asked(const std::string& board) const {
    std::vector<std::string> lines;
    const std::string text = ReadTextFile(folder_ / board / "asked.txt");
    for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
      lines.push_back(text.substr(from, text.find('\n', from) - from));
    }
    return lines;
  }
  std::set<std::string> Parts() const {
    std::set<std::string> names;
    for (const auto& file : fs::directory_iterator(folder_ / "store" / "parts")) {
      names.insert(file.path().filename().string());
    }
    return names;
  }

  TempFolder folder_;
  std::string errors_;
};

TEST_F(ProfilesMeasure, BoardsAreMeasuredSideBySide) {
  const auto meets = [&](const std::string& other) { return "--meet " + (folder_ / other).string(); };
  Lab({Board("nano", meets("tx2")), Board("tx2", meets("nano"))});
  const Json rows = Measure();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["board"], "nano");
  for (const Json& row : rows) {
    EXPECT_EQ(row["end"], "measured") << row;
    EXPECT_EQ(row["attempts"], 1);
    EXPECT_EQ(row["models"], 2);
    EXPECT_EQ(row["entries"], 4);
  }
  EXPECT_EQ(errors_, "");
}

TEST_F(ProfilesMeasure, ProfilesOfAStoreServeWhereProfilesDo) {
  Lab({Board("nano"), Board("tx2")});
  Measure();
  const ProgramResult list = Run("profiles list store --json");
  ASSERT_EQ(list.status, 0) << list.errors;
  const Json boards = Json::parse(list.output);
  ASSERT_EQ(boards.size(), 2U);
  EXPECT_EQ(boards[1]["board"], "tx2");
  EXPECT_EQ(boards[1]["file"], "store/tx2.profile.json");
  EXPECT_EQ(boards[1]["models"], Json::parse(R"(["mobilenet_v2", "squeezenet_1_1"])"));
  const ProgramResult show = Run("profiles show store/nano.profile.json --json");
  EXPECT_EQ(Json::parse(show.output)["times"].size(), 4U) << show.errors;
  EXPECT_EQ(Run("profiles diff store/nano.profile.json store/tx2.profile.json").status, 0);
  const ProgramResult merged =
      Run("profiles merge store/nano.profile.json store/tx2.profile.json -o both.profile.json");
  EXPECT_EQ(merged.status, 0) << merged.errors;
  EXPECT_EQ(ReadProfileFile(folder_ / "both.profile.json").entries.size(), 4U) << "they say the same";
  EXPECT_EQ(Run("check store/nano.profile.json store/nano.platform.json lab.boards.json").status, 0);
  WriteFile(folder_ / "s.scenario.json", R"({"tandem": "scenario/1", "name": "s", "transfer": "none",
      "platform": "store/nano.platform.json", "profiles": ["store/nano.profile.json"], "policies": ["fcfs"],
      "streams": [{"name": "a", "model": "squeezenet_1_1", "count": 2, "arrival": {"type": "offline"}}]})");
  const ProgramResult simulated = Run("simulate s.scenario.json --engine virtual --json");
  ASSERT_EQ(simulated.status, 0) << simulated.errors;
  EXPECT_GT(Json::parse(simulated.output)[0]["makespan_ns"], 0);
}

TEST_F(ProfilesMeasure, ALostBoardIsToldAndTriedAgainWhereItStopped) {
  Lab({Board("nano", "--plays silent,cut"), Board("tx2")});
  const Json rows = Measure();
  EXPECT_EQ(rows[0]["end"], "measured");
  EXPECT_EQ(rows[0]["attempts"], 3);
  EXPECT_EQ(rows[1]["attempts"], 1);
  EXPECT_NE(errors_.find("nano is lost: "), std::string::npos) << errors_;
  EXPECT_NE(
      errors_.find("it said: ssh: connect to host port 22: No route to host; tried again in 0 s (1 of 2)"),
      std::string::npos)
      << errors_;
  EXPECT_NE(errors_.find("(2 of 2)"), std::string::npos) << errors_;
  for (const std::string& asked : Asked("nano")) EXPECT_EQ(asked.find("profile --resume"), 0U) << asked;
}

TEST_F(ProfilesMeasure, NonsenseIsNoAnswer) {
  Lab(std::vector<Json>(1, Board("nano", "--plays garbled,other")));
  const Json rows = Measure();
  EXPECT_EQ(rows[0]["end"], "measured");
  EXPECT_EQ(rows[0]["attempts"], 3);
  EXPECT_NE(errors_.find("it is of platform \"another\", not \"fake\""), std::string::npos) << errors_;
  EXPECT_EQ(ReadProfileFile(folder_ / "store/nano.profile.json").platform, "fake");
}

TEST_F(ProfilesMeasure, ABoardThatStaysLostCostsTheOthersNothing) {
  Lab({Board("nano", "--plays silent,silent,silent"), Board("tx2")});
  const Json rows = Measure("--retries 1", 3);
  EXPECT_EQ(rows[0]["end"], "lost");
  EXPECT_EQ(rows[0]["attempts"], 2);
  EXPECT_NE(rows[0]["message"].get<std::string>().find("No route to host"), std::string::npos) << rows;
  EXPECT_EQ(rows[1]["end"], "measured");
  EXPECT_TRUE(fs::exists(folder_ / "store/tx2.profile.json"));
  EXPECT_FALSE(fs::exists(folder_ / "store/nano.profile.json"));
}

TEST_F(ProfilesMeasure, ABoardThatRefusesIsNotAskedAgain) {
  Lab({Board("nano", "", "--refuse profile"), Board("tx2")});
  const Json rows = Measure("", 2);
  EXPECT_EQ(rows[0]["end"], "refused");
  EXPECT_EQ(rows[0]["attempts"], 1);
  EXPECT_NE(rows[0]["message"].get<std::string>().find("it said: fake: no"), std::string::npos) << rows;
  EXPECT_EQ(rows[1]["end"], "measured");
}

TEST_F(ProfilesMeasure, ABoardThatDoesNotAnswerIsLost) {
  Lab(std::vector<Json>(1, Board("nano", "--plays hang")));
  const Json rows = Measure("--retries 0 --timeout 8", 3);
  EXPECT_EQ(rows[0]["end"], "lost");
  EXPECT_EQ(rows[0]["message"], "no answer within 8 s");
}

// They cannot hold the others up.
TEST_F(ProfilesMeasure, BoardsThatCloseTheirOutputAndStayAreLost) {
  Lab({Board("nano", "--plays closes"), Board("tx2", "--plays talks")});
  const Json rows = Measure("--retries 0 --timeout 8", 3);
  EXPECT_EQ(rows[0]["end"], "lost");
  EXPECT_EQ(rows[0]["message"], "no answer within 8 s");
  EXPECT_EQ(rows[1]["end"], "lost");
  EXPECT_EQ(rows[1]["message"], "no answer within 8 s; it said: still here");
  EXPECT_FALSE(fs::exists(folder_ / "nano/stayed") || fs::exists(folder_ / "tx2/stayed"));
}

class ProfilesInterrupted : public ProfilesMeasure, public testing::WithParamInterface<std::string> {};

TEST_P(ProfilesInterrupted, WhatIsDoneIsThere) {
  Lab({Board("nano", "--plays " + GetParam()), Board("tx2")});
  const ProgramResult result = RunShell(
      "cd " + folder_.string() + "; " TANDEM_PROGRAM " " + MeasureCommand("") +
      " & run=$!; n=0; while { [ ! -e nano/hangs ] || [ ! -e store/tx2.profile.json ]; } && [ $n -lt 600 ]; "
      "do sleep 0.1; n=$((n+1)); done; kill -TERM $run; wait $run");
  EXPECT_EQ(result.status, 130) << result.errors;
  EXPECT_FALSE(fs::exists(folder_ / "nano/stayed")) << "it ended by itself";
  const Json rows = Json::parse(result.output);
  EXPECT_EQ(rows[0]["end"], "interrupted");
  EXPECT_EQ(rows[1]["end"], "measured");
  const Json again = Measure();
  EXPECT_EQ(again[0]["end"], "measured");
  EXPECT_EQ(again[1]["end"], "known");
}
INSTANTIATE_TEST_SUITE_P(BesideABoardThat, ProfilesInterrupted, testing::Values("hang", "closes", "talks"));

TEST_F(ProfilesMeasure, NothingIsMeasuredTwice) {
  Lab(std::vector<Json>(1, Board("nano")));
  Measure();
  const std::set<std::string> parts = Parts();
  EXPECT_EQ(parts.size(), 4U) << "two models on two units";
  EXPECT_EQ(Measure()[0]["end"], "known");
  EXPECT_EQ(Asked("nano").size(), 1U);
  Request({"squeezenet_1_1", "resnet18", "mobilenet_v2"});
  const Json more = Measure();
  EXPECT_EQ(more[0]["models"], 1);
  EXPECT_EQ(more[0]["entries"], 6);
  EXPECT_EQ(more[0]["new_parts"], 2);
  EXPECT_EQ(Asked("nano").back(), "profile --resume resnet18");
  const std::set<std::string> now = Parts();
  EXPECT_TRUE(std::includes(now.begin(), now.end(), parts.begin(), parts.end()));
  const Json forced = Measure("--force");
  EXPECT_EQ(forced[0]["models"], 3);
  EXPECT_EQ(forced[0]["entries"], 6) << "replaced";
  EXPECT_EQ(Asked("nano").back(), "profile squeezenet_1_1,resnet18,mobilenet_v2") << "from the start";
}

TEST_F(ProfilesMeasure, EachStateHasAFileAndTheSameMeasurementIsThereOnce) {
  Json board = Board("nano");
  const std::string mode = (folder_ / "mode").string();
  board["states"] = Json::parse(R"([{"name": "maxn"}, {"name": "10w", "arguments": ["--budget", "7"]}])");
  board["states"][0]["before"] = "sh -c 'echo maxn >> " + mode + "'";
  Lab({board, Board("tx2")});
  const Json rows = Measure("--board nano");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["state"], "maxn");
  EXPECT_EQ(rows[1]["state"], "10w");
  EXPECT_EQ(ReadTextFile(mode), "maxn\n");
  EXPECT_EQ(Asked("nano").back().find("profile --resume --budget 7 "), 0U) << Asked("nano").back();
  EXPECT_EQ(rows[0]["new_parts"], 4);
  EXPECT_EQ(rows[1]["new_parts"], 0) << "this device measures the same in both";
  EXPECT_EQ(Parts().size(), 4U);
  EXPECT_TRUE(fs::exists(folder_ / "store/nano@maxn.profile.json"));
  EXPECT_TRUE(fs::exists(folder_ / "store/nano@10w.platform.json"));
  EXPECT_EQ(Measure("--state 10w").size(), 1U) << "tx2 has no such state";
}

TEST_F(ProfilesMeasure, AStateThatCannotBeReachedIsNotMeasured) {
  Json board = Board("nano");
  board["states"] = Json::parse(R"([{"name": "maxn", "before": "false"}])");
  Lab(std::vector<Json>(1, board));
  const Json rows = Measure("--retries 0", 3);
  EXPECT_EQ(rows[0]["message"], "false: ended with status 1");
  EXPECT_FALSE(fs::exists(folder_ / "nano" / "asked.txt"));
}

TEST_F(ProfilesMeasure, CommandsAreStartedInTheFolderOfTheirFile) {
  fs::create_directory(folder_ / "lab");
  WriteFile(folder_ / "lab" / "reach",
            "#!/bin/sh\nexec " + Board("nano")["command"].get<std::string>() + " \"$@\"\n");
  fs::permissions(folder_ / "lab" / "reach", fs::perms::owner_all);
  Lab(std::vector<Json>(1, Json::parse(R"({"name": "nano", "command": "./reach"})")));
  fs::rename(folder_ / "lab.boards.json", folder_ / "lab" / "lab.boards.json");
  const ProgramResult result =
      Run("profiles measure request.json --boards lab/lab.boards.json -o store --json");
  EXPECT_EQ(result.status, 0) << result.errors;
}

TEST_F(ProfilesMeasure, StoresBecomeOne) {
  Lab({Board("nano"), Board("tx2")});
  Measure("--board nano");
  Request({"resnet18"});
  const ProgramResult other = Run("profiles measure request.json --boards lab.boards.json -o other --json");
  ASSERT_EQ(other.status, 0) << other.errors;
  const ProgramResult merged = Run("profiles merge store other -o all --json");
  ASSERT_EQ(merged.status, 0) << merged.errors;
  EXPECT_EQ(Json::parse(merged.output)["files"],
            Json::parse(R"(["all/nano.profile.json", "all/tx2.profile.json"])"));
  EXPECT_EQ(ReadProfileFile(folder_ / "all/nano.profile.json").entries.size(), 6U);
  EXPECT_EQ(ReadProfileFile(folder_ / "all/tx2.profile.json").entries.size(), 2U);
  Request({"resnet18", "mobilenet_v2"});
  const ProgramResult known =
      Run("profiles measure request.json --boards lab.boards.json -o all --board nano --json");
  EXPECT_EQ(Json::parse(known.output)[0]["end"], "known") << known.errors;
}

TEST_F(ProfilesMeasure, ADamagedPartIsNoticedAndWrittenAnew) {
  Lab(std::vector<Json>(1, Board("nano")));
  Measure();
  const fs::path part = folder_ / "store" / "parts" / *Parts().begin();
  const std::string text = ReadTextFile(part);
  WriteFile(part, text + " ");
  const ProgramResult list = Run("profiles list store");
  EXPECT_EQ(list.status, 2);
  EXPECT_NE(list.errors.find("is damaged: it is not what its name says"), std::string::npos) << list.errors;
  fs::remove(folder_ / "store/nano.profile.json");
  Measure();
  EXPECT_EQ(ReadTextFile(part), text);
}

TEST_F(ProfilesMeasure, WhatIsWrongOnAnyBoardIsSaidBeforeOneIsAsked) {
  Lab(std::vector<Json>(1, Board("nano")));
  Request({"squeezenet_1_2"});
  EXPECT_TRUE(Measure("", 2).empty());
  EXPECT_NE(errors_.find("request.json:/models/0: "), std::string::npos) << errors_;
  EXPECT_FALSE(fs::exists(folder_ / "nano"));
  Measure("--board nanu", 2);
  EXPECT_EQ(errors_, "--board: the lab has no board \"nanu\"; did you mean \"nano\"?\n");
}

}  // namespace
}  // namespace tandem
