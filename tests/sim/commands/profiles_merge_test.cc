// Do two measurements of one board become one profile, or stand beside each other in a scenario?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/costs/profile.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

class ProfilesMerge : public testing::Test {
 protected:
  ProfilesMerge() {
    Write("old.profile.json", "2026-01-01", "resnet18", 5000, 20);
    Write("new.profile.json", "2026-02-01", "resnet34", 9000, 30);
    WriteFile(folder_ / "two.scenario.json", R"({"tandem": "scenario/1", "name": "two", "transfer": "none",
        "platform": {"name": "b", "memories": [{"name": "m"}],
                     "units": [{"name": "cpu", "kind": "cpu", "memory": "m"},
                               {"name": "npu", "kind": "npu", "memory": "m"}]},
        "profiles": ["old.profile.json", "new.profile.json"], "policies": ["fcfs"],
        "streams": [{"name": "x", "model": "resnet18", "count": 2, "arrival": {"type": "offline"}},
                    {"name": "y", "model": "resnet34", "count": 2, "arrival": {"type": "offline"}}]})");
  }

  void Write(const std::string& name, const std::string& date, const std::string& model, int micros,
             int dispatch) {
    const std::string time = std::to_string(micros);
    WriteFile(folder_ / name,
              R"({"tandem": "profile/1", "platform": "b", "origin": {"kind": "measured", "host": "h",
        "date": ")" +
                  date + R"(", "clocks": {}, "libraries": {}, "threads": {}, "cache_mode": "warm"},
        "entries": [{"model": ")" +
                  model + R"(", "unit": "cpu", "layers": "*", "median_us": )" + time + R"(}],
        "dispatch": [{"unit": "cpu", "median_us": )" +
                  std::to_string(dispatch) + "}]}");
  }

  ProgramResult Run(const std::string& arguments) {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " " + arguments);
  }

  TempFolder folder_;
};

TEST_F(ProfilesMerge, OneProfileHasTheModelsOfBoth) {
  const ProgramResult result =
      Run("profiles merge old.profile.json new.profile.json -o both.profile.json --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json summary = Json::parse(result.output);
  EXPECT_EQ(summary["entries"], 2);
  EXPECT_EQ(summary["models"], Json::parse(R"(["resnet18", "resnet34"])"));
  EXPECT_EQ(summary["passed_over"].size(), 1U) << summary;
  const Profile both = ReadProfileFile(folder_ / "both.profile.json");
  ASSERT_EQ(both.dispatch.size(), 1U);
  EXPECT_EQ(both.dispatch[0].time.median, Nanos{30'000}) << "the newer";
  EXPECT_EQ(both.origin.merged.size(), 2U);
  EXPECT_EQ(both.models.size(), 2U) << "what they are, too";
  EXPECT_EQ(Run("check both.profile.json").status, 0);
}

TEST_F(ProfilesMerge, WithoutAFileTheProfileIsTheOutput) {
  const ProgramResult result = Run("profiles merge old.profile.json new.profile.json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadProfile(JsonDocument::Parse(result.output, "output").root()).entries.size(), 2U);
  EXPECT_NE(result.errors.find("2 profiles of b: 2 entries of 2 models\n"), std::string::npos)
      << result.errors;
}

TEST_F(ProfilesMerge, TheNewerTimesOfAModelAreTaken) {
  Write("new.profile.json", "2026-02-01", "resnet18", 9000, 30);
  for (const char* order : {"old.profile.json new.profile.json", "new.profile.json old.profile.json"}) {
    const ProgramResult result = Run("profiles merge " + std::string(order));
    ASSERT_EQ(result.status, 0) << result.errors;
    const Profile both = ReadProfile(JsonDocument::Parse(result.output, "output").root());
    ASSERT_EQ(both.entries.size(), 1U);
    EXPECT_EQ(both.entries[0].time.median, Nanos{9'000'000});
    EXPECT_NE(result.errors.find("entries: 1 entry of \"old.profile.json\" of 2026-01-01 is passed over"),
              std::string::npos)
        << result.errors;
  }
}

TEST_F(ProfilesMerge, WhatDiffersOfOneDateIsAnError) {
  Write("new.profile.json", "2026-01-01", "resnet18", 9000, 30);
  const ProgramResult result = Run("profiles merge old.profile.json new.profile.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, "new.profile.json:/entries/0: is the same entry as old.profile.json:/entries/0\n");
}

TEST_F(ProfilesMerge, NoFileIsLost) {
  const std::string old = ReadTextFile(folder_ / "old.profile.json");
  for (const char* options : {"", " --force"}) {
    const ProgramResult result =
        Run("profiles merge old.profile.json new.profile.json -o old.profile.json" + std::string(options));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(
        result.errors,
        "old.profile.json: is an input of this command, which -o would overwrite; give -o another file\n");
    EXPECT_EQ(ReadTextFile(folder_ / "old.profile.json"), old);
  }
  Write("other.profile.json", "2026-03-01", "vgg16", 1, 1);
  const std::string merge = "profiles merge old.profile.json new.profile.json -o other.profile.json";
  EXPECT_EQ(Run(merge).status, 2) << "measurements";
  EXPECT_EQ(Run(merge + " --force").status, 0);
  EXPECT_EQ(Run("profiles merge old.profile.json new.profile.json -o two.scenario.json").status, 2);
}

TEST_F(ProfilesMerge, AScenarioMayNameBothAndCheckSaysWhatIsTaken) {
  const ProgramResult result = Run("check two.scenario.json --json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json known = Json::parse(result.output)[0]["known"];
  EXPECT_EQ(known["times"].size(), 4U) << "two models on two units";
  EXPECT_EQ(known["times"][0],
            Json::parse(R"({"model": "resnet18", "batch": 1, "unit": "cpu", "time": "measured"})"));
  EXPECT_EQ(known["times"][1]["time"], "none");
  EXPECT_TRUE(known["no_co_running"].empty()) << "nothing runs on the npu";
  EXPECT_NE(known["taken"].dump().find("passed over"), std::string::npos) << known;
  const ProgramResult text = Run("check two.scenario.json");
  EXPECT_NE(text.output.find("measured"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("none: that model does not run there"), std::string::npos) << text.output;
}

TEST_F(ProfilesMerge, SimulateAndPlanSayWhatIsMissing) {
  for (const char* command : {"simulate", "plan"}) {
    const ProgramResult result = Run(std::string(command) + " two.scenario.json --engine virtual");
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_NE(result.output.find("none: that model does not run there"), std::string::npos) << result.output;
  }
  std::string scenario = ReadTextFile(folder_ / "two.scenario.json");
  const std::string npu = R"(,
                               {"name": "npu", "kind": "npu", "memory": "m"})";
  scenario.erase(scenario.find(npu), npu.size());
  WriteFile(folder_ / "one.scenario.json", scenario);
  const ProgramResult whole = Run("simulate one.scenario.json --engine virtual");
  EXPECT_EQ(whole.output.find("times of"), std::string::npos) << "all is measured: " << whole.output;
}

TEST_F(ProfilesMerge, UnitsOfOneMemoryOfWhichNothingIsKnownAreNamed) {
  Write("old.profile.json", "2026-01-01", "resnet18", 5000, 20);
  std::string profile = ReadTextFile(folder_ / "old.profile.json");
  const std::string first = R"("entries": [)";
  profile.insert(profile.find(first) + first.size(),
                 R"({"model": "resnet18", "unit": "npu", "layers": "*", "median_us": 1}, )");
  WriteFile(folder_ / "old.profile.json", profile);
  const Json known = Json::parse(Run("check two.scenario.json --json").output)[0]["known"];
  EXPECT_EQ(known["no_co_running"], Json::parse(R"([["cpu", "npu"]])"));
  EXPECT_NE(known["taken"].dump().find("no profile says what they cost each other"), std::string::npos)
      << known;
  EXPECT_TRUE(known["pairs"].empty());

  profile.insert(profile.find(first), R"("co_running": [{"unit": "npu", "model": "resnet18", "beside": "cpu",
                 "beside_model": "resnet18", "slowdown": 0.9}], )");
  WriteFile(folder_ / "old.profile.json", profile);
  const Json some = Json::parse(Run("check two.scenario.json --json").output)[0]["known"];
  EXPECT_TRUE(some["no_co_running"].empty());
  EXPECT_EQ(some["pairs"], Json::parse(R"([{"units": ["cpu", "npu"], "measured": 1, "all": 2}])"));
  EXPECT_NE(some["taken"].dump().find("1 of 2 pairs of models were measured beside each other on units"),
            std::string::npos)
      << some;
}

TEST_F(ProfilesMerge, ManyUnitsOfOneMemoryAreNamedInOneSentence) {
  Write("old.profile.json", "2026-01-01", "resnet18", 5000, 20);
  std::string profile = ReadTextFile(folder_ / "old.profile.json");
  const std::string first = R"("entries": [)";
  for (const std::string unit : {"npu", "gpu"}) {
    profile.insert(profile.find(first) + first.size(),
                   R"({"model": "resnet18", "unit": ")" + unit + R"(", "layers": "*", "median_us": 1}, )");
  }
  WriteFile(folder_ / "old.profile.json", profile);
  std::string scenario = ReadTextFile(folder_ / "two.scenario.json");
  const std::string npu = R"({"name": "npu", "kind": "npu", "memory": "m"})";
  scenario.insert(scenario.find(npu), R"({"name": "gpu", "kind": "gpu", "memory": "m"}, )");
  WriteFile(folder_ / "two.scenario.json", scenario);
  const Json known = Json::parse(Run("check two.scenario.json --json").output)[0]["known"];
  EXPECT_EQ(known["no_co_running"].size(), 3U);
  const std::string taken = known["taken"].dump(), says = "no profile says";
  EXPECT_NE(taken.find(R"(units \"cpu\", \"gpu\" and \"npu\" share memory \"m\", and )" + says),
            std::string::npos)
      << taken;
  EXPECT_EQ(taken.find(says), taken.rfind(says)) << taken;
}

// A zoo name in the profile, the same network as a file in the scenario, whatever its layers are called.
TEST_F(ProfilesMerge, ANetworkOfAFileIsTakenForItsTwinOfTheZoo) {
  const ProgramResult imported = Run("models import resnet18 -o net.json");
  ASSERT_EQ(imported.status, 0) << imported.errors;
  std::string scenario = ReadTextFile(folder_ / "two.scenario.json");
  const std::string name = R"("model": "resnet18")";
  scenario.replace(scenario.find(name), name.size(), R"("model": "./net.json")");
  WriteFile(folder_ / "two.scenario.json", scenario);
  const ProgramResult result = Run("check two.scenario.json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("model \"./net.json\": taken as \"resnet18\""), std::string::npos)
      << result.output;
}

}  // namespace
}  // namespace tandem
