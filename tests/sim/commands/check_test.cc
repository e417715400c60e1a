// Does `tandem check` judge every kind of file, say what it found, and exit as a script needs it?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

const std::string kParts = std::string(TANDEM_TEST_DIR) + "/bad/parts/";

TEST(Check, EveryKindOfFileGetsALineThatSaysWhatItHolds) {
  const ProgramResult result = RunShell(
      "cd " + kParts +
      " && " TANDEM_PROGRAM " check mini.platform.json mini.profile.json && cd ../../data && " TANDEM_PROGRAM
      " check mini.scenario.json");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.status, 0);
  const std::string lines =
      "ok  mini.platform.json: platform/1, 3 units, 2 memories, 0 links\n"
      "ok  mini.profile.json: profile/1, 7 entries, 4 models, 3 units, estimated\n"
      "ok  mini.scenario.json: scenario/1, 3 streams, at least 1045 requests, 3 units,\n"
      "  2 policies, compared by p99 latency, since requests come by the clock\n";
  EXPECT_EQ(result.output.substr(0, lines.size()), lines);
  EXPECT_NE(result.output.find("\nestimated: nobody has measured such times there\n", lines.size()),
            std::string::npos)
      << "what is known stands behind it: " << result.output;
}

TEST(Check, ShippedNamesStandForTheirFiles) {
  const ProgramResult result = RunShell("COLUMNS=1000 " TANDEM_PROGRAM " check tinker-edge-r study-003");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("boards/tinker-edge-r.platform.json: platform/1, 4 units"), std::string::npos);
  EXPECT_NE(result.output.find("boards/tinker-edge-r.profile.json: profile/1, 12 entries"),
            std::string::npos);
  EXPECT_NE(
      result.output.find("study-003.scenario.json: scenario/1, 3 streams, 300 requests, 4 units, 6 policies"),
      std::string::npos)
      << result.output;
}

TEST(Check, AllFilesAreJudgedThoughTheFirstIsWrong) {
  const ProgramResult result =
      RunShell("cd " + kParts + " && " TANDEM_PROGRAM " check none.json mini.platform.json . studi-003");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "ok  mini.platform.json: platform/1, 3 units, 2 memories, 0 links\n");
  EXPECT_EQ(result.errors,
            "none.json: no such file\n"
            ".: is a directory, not a file\n"
            "studi-003: tandem ships no scenario and no board of that name; did you mean \"study-003\"?\n");
}

// Of the shipped board that holds one model at a time, and of the same one that may hold two.
TEST(Check, WhatDoesNotFitEndsWithOne) {
  const ProgramResult one = RunShell("COLUMNS=1000 " TANDEM_PROGRAM " check one-after-the-other");
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_TRUE(one.output.starts_with("ok  ")) << one.output;
  const std::string folder = testing::TempDir(), shipped = (ShippedDirectory() / "scenarios").string();
  const std::string both = "cd " + folder + " && sed 's/\"resident_models\": 1/\"resident_models\": 2/' " +
                           shipped +
                           "/one-after-the-other.scenario.json > both.scenario.json && COLUMNS=1000 " +
                           TANDEM_PROGRAM " check both.scenario.json";
  const ProgramResult two = RunShell(both);
  EXPECT_EQ(two.status, 1) << two.errors;
  EXPECT_TRUE(two.output.starts_with("does not fit  both.scenario.json: scenario/1")) << two.output;
  EXPECT_NE(two.output.find("bytes, as measured: it does not fit; let unit \"cpu\" hold fewer than 2 models"),
            std::string::npos)
      << two.output;
  const ProgramResult json = RunShell(both + " --json");
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.output)[0]["fits"], false);
  EXPECT_EQ(RunShell(both + " none.json").status, 2) << "a file that is wrong counts more";
}

TEST(Check, AllMistakesOfAFileAreTold) {
  const std::string folder = testing::TempDir();
  WriteFile(folder + "/two.json", R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "dram"}],
      "units": [{"name": "a", "kind": "cpy", "memory": "dram"},
                {"name": "b", "kind": "cpu", "memory": "dram", "slots": 0}]})");
  const ProgramResult result = RunShell("cd " + folder + " && " TANDEM_PROGRAM " check two.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "two.json:/units/0/kind: unknown kind of unit \"cpy\"; did you mean \"cpu\"?\n"
            "two.json:/units/1/slots: 0 is out of range: from 1 to 1024\n");
}

TEST(Check, AFileThatLooksLikeAShippedNameIsPointedAt) {
  const std::string folder = testing::TempDir();
  WriteFile(folder + "/mine", "{}");
  const ProgramResult result = RunShell("cd " + folder + " && " TANDEM_PROGRAM " check mine");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "mine: tandem ships no scenario and no board of that name; a file of yours is ./mine\n");
}

TEST(Check, AFileOfNoKindSaysWhatIsWrongWithIt) {
  const std::string folder = testing::TempDir();
  WriteFile(folder + "/no_suffix", "nothing");
  const ProgramResult result =
      RunShell("cd " + folder + " && " TANDEM_PROGRAM " check ./no_suffix /dev/null");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors.substr(0, 15), "./no_suffix:1:2") << result.errors;
}

TEST(Check, JsonHoldsOneObjectPerFileAndNothingElse) {
  const ProgramResult result =
      RunShell("cd " + kParts + " && " TANDEM_PROGRAM " check --json mini.platform.json none.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, "");
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["ok"], true);
  EXPECT_EQ(json[0]["kind"], "platform/1");
  EXPECT_EQ(json[0]["summary"], "3 units, 2 memories, 0 links");
  EXPECT_EQ(json[1]["ok"], false);
  EXPECT_EQ(json[1]["kind"], nullptr);
  EXPECT_EQ(json[1]["message"], "none.json: no such file");
}

TEST(Check, RequestedAndEffectiveSettingsStandSideBySide) {
  const ProgramResult result =
      RunTandem("check --json " + std::string(TANDEM_TEST_DIR) + "/data/mini.scenario.json");
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto settings = nlohmann::json::parse(result.output)[0]["settings"];
  const auto& queries = settings["streams"][0];
  EXPECT_EQ(queries["requested"]["arrival"],
            nlohmann::json::parse(R"({"type": "single_stream", "rules": "loadgen"})"));
  EXPECT_EQ(queries["effective"]["loadgen"]["min_query_count"], 1024);
  EXPECT_EQ(queries["effective"]["loadgen"]["min_duration_ms"], 600000);
  EXPECT_EQ(queries["effective"]["requests_are"], "at_least");
  const auto& frames = settings["streams"][1];
  EXPECT_EQ(frames["requested"].contains("priority"), false);
  EXPECT_EQ(frames["effective"]["priority"], 0);
  EXPECT_EQ(frames["effective"]["requests"], 15);
  EXPECT_EQ(settings["streams"][2]["effective"]["arrival"]["stream"], "frames");
  EXPECT_EQ(settings["units"][1]["variant"], "cuda/fp32");
  EXPECT_EQ(settings["units"][0]["load_pct"], 40);
  EXPECT_EQ(settings["objective"], "p99_latency");
  EXPECT_EQ(settings["objective_why"], "requests come by the clock");
  EXPECT_EQ(settings["policies"][1]["effective"]["label"], "mine");
}

}  // namespace
}  // namespace tandem
