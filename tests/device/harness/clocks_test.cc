// Is it said, or refused, where clocks are set to something else than when the plan's profile was measured?
#include <fstream>

#include "tests/support/device/harness_files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class ClocksOfPlans : public HarnessFiles {
 protected:
  void WriteSystem(const std::string& path, const std::string& text) {
    fs::create_directories((folder / path).parent_path());
    std::ofstream(folder / path, std::ios::binary) << text;
  }
  void SetGovernor(const std::string& governor) {
    WriteSystem("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
  }
  // With those clocks in the profile.
  RunOrder Measured(const std::string& clocks) {
    origin = R"({"kind": "measured", "host": "a test's host", "date": "2026-11-20",
                 "libraries": {"numbers": "1.0"}, "threads": {"one": [0]}, "cache_mode": "warm",
                 "clocks": )" +
             clocks + "}";
    RunOrder request = Request({R"("fcfs")", R"("sjf")"});
    request.check = false;
    return request;
  }
  HarnessHost Here() {
    HarnessHost host = Place();
    host.clocks.root = folder;
    return host;
  }
};

TEST_F(ClocksOfPlans, SetOtherwiseAreSaid) {
  const RunOrder request =
      Measured(R"({"cpu0": "2400 MHz, performance", "cores set to": "cpu0: performance"})");
  SetGovernor("performance\n");
  EXPECT_TRUE(RunPlans(request, Here()).warnings.empty()) << "2400 MHz were of that moment";
  SetGovernor("powersave\n");
  const RunAnswer answer = RunPlans(request, Here());
  EXPECT_FALSE(answer.forced);
  ASSERT_EQ(answer.warnings.size(), 2u);
  EXPECT_TRUE(answer.warnings[0].ends_with(
      "was measured with cores set to \"cpu0: performance\", now \"cpu0: powersave\""))
      << answer.warnings[0];
}

TEST_F(ClocksOfPlans, OfANamedStateThatReadsOtherwiseAreRefusedUnlessForced) {
  SetGovernor("powersave\n");
  RunOrder request = Measured(R"({"state": "maxn", "reading": "cpu0: performance"})");
  const std::string error = ErrorOf([&] { RunPlans(request, Here()); });
  EXPECT_NE(
      error.find("was measured in the clock state \"maxn\", which read \"cpu0: performance\", now it reads "
                 "\"cpu0: powersave\"; profile it anew, or --force"),
      std::string::npos)
      << error;
  request.force = true;
  EXPECT_TRUE(RunPlans(request, Here()).forced);
  request.force = false;
  SetGovernor("performance\n");
  EXPECT_FALSE(RunPlans(request, Here()).forced);
}

// A hot board may be run: samples of then are looked at one by one.
TEST_F(ClocksOfPlans, OfANamedStateAreNotRefusedForTheHeatThatLowersTheirLimits) {
  RunOrder request = Measured(R"({"state": "maxn", "reading": "cpu0: schedutil, 408 to 1479 MHz"})");
  SetGovernor("schedutil\n");
  WriteSystem("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "408000\n");
  WriteSystem("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "1008000\n");
  WriteSystem("sys/class/thermal/cooling_device0/type", "thermal-cpufreq-0\n");
  WriteSystem("sys/class/thermal/cooling_device0/cur_state", "3\n");
  EXPECT_TRUE(WhyNotHere(request.plans[0], Here()).empty());
  WriteSystem("sys/class/thermal/cooling_device0/cur_state", "0\n");
  EXPECT_EQ(WhyNotHere(request.plans[0], Here()).size(), 1u);
}

TEST_F(ClocksOfPlans, OfAStateAreReadByItsOwnCommand) {
  RunOrder request = Measured(R"({"state": "15w", "read": "cat )" + (folder / "mode").string() +
                              R"(", "reading": "mode 15W"})");
  const auto Here = [&] {
    HarnessHost host = ClocksOfPlans::Here();
    host.allow_commands = true;
    return host;
  };
  WriteSystem("mode", "mode 15W\n");
  EXPECT_FALSE(RunPlans(request, Here()).forced);
  WriteSystem("mode", "mode 7W\n");
  EXPECT_NE(ErrorOf([&] { RunPlans(request, Here()); }).find("now it reads \"mode 7W\""), std::string::npos);
  fs::remove(folder / "mode");
  EXPECT_NE(ErrorOf([&] { RunPlans(request, Here()); }).find("clock state \\\"15w\\\": "), std::string::npos)
      << ErrorOf([&] { RunPlans(request, Here()); });
}

// A profile may come from anybody, and with it the command.
TEST_F(ClocksOfPlans, OfAStateAreNotReadByACommandThatNobodyAllowed) {
  RunOrder request = Measured(R"({"state": "15w", "read": "touch )" + (folder / "started").string() +
                              R"(", "reading": "15W"})");
  const std::string error = ErrorOf([&] { RunPlans(request, Here()); });
  EXPECT_NE(error.find("was measured in the clock state \"15w\", which \"touch "), std::string::npos)
      << error;
  EXPECT_NE(error.find("tells: --allow-commands starts what files name"), std::string::npos) << error;
  request.force = true;
  EXPECT_TRUE(RunPlans(request, Here()).forced);
  EXPECT_FALSE(fs::exists(folder / "started"));
}

// One profile for each state, with variants of its own: what else was measured does not count.
TEST_F(ClocksOfPlans, OfAStateThatThePlanIsNotInAreNotAskedFor) {
  SetGovernor("powersave\n");
  PlanFile file = Measured(R"({"state": "maxn", "reading": "cpu0: performance"})").plans[0];
  EXPECT_EQ(WhyNotHere(file, Here()).size(), 1u);
  file.scenario.units[0].variant = Variant{"900MHz", "fp32"};
  EXPECT_EQ(WhyNotHere(file, Here()).size(), 1u) << "the other unit's times are of it";
  file.scenario.units[1].variant = Variant{"900MHz", "fp32"};
  EXPECT_TRUE(WhyNotHere(file, Here()).empty());
}

TEST_F(ClocksOfPlans, ThatAPlanNeedsAreSaid) {
  units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference", "idle_w": 2,
               "states": [{"name": "900MHz", "idle_w": 1}]},
              {"name": "two", "kind": "npu", "memory": "dram", "backend": "emulated",
               "states": [{"name": "900MHz", "idle_w": 1}]}])";
  PlanFile file = Plan(R"("fcfs")");
  EXPECT_TRUE(WhatIsOtherwise(file).empty()) << "without a variant they are as they are";
  for (std::size_t u = 0; u < 2; ++u) SetVariant(UnitId(u), {"900MHz", "fp32"}, file.scenario);
  EXPECT_EQ(WhatIsOtherwise(file),
            std::vector<std::string>{"unit \"one\" is planned in its clock state \"900MHz\", which has to be "
                                     "set before the run: tandem sets no clocks"});
}

}  // namespace
}  // namespace tandem
