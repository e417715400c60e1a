// Does nothing that simulates start what a file names, and does `tandem validate` want to be told?
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Of a stranger: a unit whose program leaves a file, and a program beside the runs that does.
class StrangersScenario : public testing::Test {
 protected:
  StrangersScenario() {
    const Json touch = {"touch", (folder_ / "started").string()};
    const Json platform = {{"tandem", "platform/1"},
                           {"name", "board"},
                           {"memories", {{{"name", "dram"}}}},
                           {"units",
                            {{{"name", "npu"},
                              {"kind", "npu"},
                              {"memory", "dram"},
                              {"backend", "command"},
                              {"command", touch}}}}};
    const Json profile = {
        {"tandem", "profile/1"},
        {"platform", "board"},
        {"origin", {{"kind", "estimated"}, {"method", "made up"}}},
        {"entries", {{{"model", "squeezenet_1_1"}, {"unit", "npu"}, {"layers", "*"}, {"median_us", 500}}}}};
    const Json stream = {{"name", "camera"},
                         {"model", "squeezenet_1_1"},
                         {"count", 5},
                         {"arrival", {{"type", "periodic"}, {"fps", 100}}}};
    WriteFile(folder_ / "s.scenario.json", Json{{"tandem", "scenario/1"},
                                                {"name", "a stranger's"},
                                                {"platform", platform},
                                                {"profiles", {profile}},
                                                {"transfer", "none"},
                                                {"streams", {stream}},
                                                {"background", {{{"command", touch}}}},
                                                {"policies", {"fcfs", "eft"}}}
                                               .dump());
    WriteFile(folder_ / "s.sweep.json",
              R"({"tandem": "sweep/1", "name": "counts", "scenario": "./s.scenario.json",
                  "axes": [{"name": "n", "pointers": ["/streams/0/count"], "values": [2, 3]}]})");
  }

  ProgramResult Run(const std::string& command) const {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " " + command);
  }
  bool Started() const { return fs::exists(folder_ / "started"); }

  TempFolder folder_;
};

TEST_F(StrangersScenario, IsSimulatedWithoutItsPrograms) {
  for (const std::string command :
       {"check s.scenario.json", "simulate s.scenario.json", "simulate s.scenario.json --engine virtual",
        "plan s.scenario.json -o s.plan.json", "explain s.scenario.json", "worst s.scenario.json",
        "capacity s.scenario.json --policy eft --vary streams.camera.arrival.rate --until 'p99 <= 50 ms'",
        "new baseline s.scenario.json -o s.baseline.json", "regress s.baseline.json",
        "sweep s.sweep.json -o rows", "simulate s.plan.json",
        "plan s.scenario.json --emit systemd -o deployed"}) {
    const ProgramResult result = Run(command);
    EXPECT_LE(result.status, 1) << command << ": " << result.errors;  // 1: a deadline that is not kept
    EXPECT_FALSE(Started()) << command;
  }
}

TEST_F(StrangersScenario, IsRunOnADeviceOnlyByWhoAllowsIt) {
  const ProgramResult refused = Run("validate s.scenario.json --repeat 1 --device 'sh -c \"exit 255\"'");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors.find("s.scenario.json: names programs to be started, "), 0U) << refused.errors;
  EXPECT_NE(refused.errors.find("; --allow-commands starts what files name\n"), std::string::npos)
      << refused.errors;
  const ProgramResult allowed =
      Run("validate s.scenario.json --repeat 1 --allow-commands --device 'sh -c \"exit 255\"'");
  EXPECT_EQ(allowed.status, 3);
  EXPECT_NE(allowed.errors.find(" run --json --allow-commands: ended with status 255"), std::string::npos)
      << allowed.errors;
  EXPECT_FALSE(Started()) << "the device alone starts something";
}

// Commands of the lab's own file are what that file is for, and come before what the request wants started.
TEST_F(StrangersScenario, IsMeasuredOnALabOnlyByWhoAllowsIt) {
  const std::string touch = "touch " + (folder_ / "started").string();
  WriteFile(folder_ / "lab.boards.json", Json{{"tandem", "boards/1"},
                                              {"name", "lab"},
                                              {"boards",
                                               {{{"name", "a"},
                                                 {"command", "sh -c 'exit 255'"},
                                                 {"states", {{{"name", "maxn"}, {"before", touch}}}}}}}}
                                             .dump());
  WriteFile(folder_ / "request.json",
            Json{{"tandem", "profile-request/1"},
                 {"platform", "device"},
                 {"models", {"squeezenet_1_1"}},
                 {"clock_states", {{{"name", "slow"}, {"before", "halve"}, {"read", "tell"}}}}}
                .dump());
  Json unknown = Json::parse(ReadTextFile(folder_ / "s.scenario.json"));
  unknown["platform"] = "device";
  unknown.erase("profiles");
  WriteFile(folder_ / "device.scenario.json", unknown.dump());
  const auto measure = [&](const std::string& request, const std::string& options) {
    return Run("profiles measure " + request + " --boards lab.boards.json -o store --retries 0" + options);
  };
  const std::string background = "background: \"" + touch + "\"";
  const std::vector<std::pair<std::string, std::string>> requests = {
      {"s.scenario.json", "names programs to be started, unit \"npu\": \"" + touch + "\"; " + background},
      {"device.scenario.json", "names a program to be started, " + background},
      {"request.json",
       "names programs to be started, clock state \"slow\": \"halve\"; clock state \"slow\": \"tell\""}};
  for (const auto& [request, names] : requests) {
    const ProgramResult refused = measure(request, "");
    EXPECT_EQ(refused.status, 2) << refused.errors;
    EXPECT_EQ(refused.errors, request + ": " + names + "; --allow-commands starts what files name\n");
    EXPECT_FALSE(Started()) << request;
  }
  for (const auto& [request, names] : requests) {
    const ProgramResult allowed = measure(request, " --allow-commands");
    EXPECT_EQ(allowed.status, 3) << request << ": " << allowed.errors;
    EXPECT_TRUE(Started()) << "the board is brought into its state";
    fs::remove(folder_ / "started");
  }
}

}  // namespace
}  // namespace tandem
