// Is everything found that a file wants started, and refused where nobody allows it?
#include "scenarios/exchange/named_programs.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

Platform BoardOf(const std::string& units) {
  const std::string text =
      R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}], "units": [)" + units +
      "]}";
  return ReadPlatform(JsonDocument::Parse(text, "board.json").root());
}

std::string Unit(const std::string& name, const std::string& command) {
  return R"({"name": ")" + name + R"(", "kind": "npu", "memory": "dram", "backend": "command", "command": )" +
         command + "}";
}

TEST(NamedPrograms, AreThoseOfUnitsBackgroundsAndClockStates) {
  const Platform board =
      BoardOf(Unit("npu", R"(["python3", "a.py"])") +
              R"(, {"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "reference"})");
  const NamedProgram of_unit{R"(unit "npu")", "python3 a.py"};
  EXPECT_EQ(ProgramsOf(board), std::vector<NamedProgram>{of_unit});
  Scenario scenario;
  EXPECT_TRUE(ProgramsOf(scenario).empty()) << "no platform is known yet";
  scenario.platform = board;
  scenario.programs = {{"stress", "-c", "1"}};
  const std::vector<NamedProgram> of_scenario = {of_unit, {"background", "stress -c 1"}};
  EXPECT_EQ(ProgramsOf(scenario), of_scenario);
  RunOrder run;
  run.plans.resize(2);
  for (PlanFile& plan : run.plans) {
    plan.scenario.platform = board;
    plan.scenario.programs = scenario.programs;
  }
  EXPECT_EQ(ProgramsOf(run), of_scenario) << "plans name the same ones";
  ProfileOrder profile;
  profile.platform = board;
  profile.clock_states = {{"10w", "nvpmodel -m 2", "nvpmodel -q", ""}, {"as it is", "", "", ""}};
  EXPECT_EQ(ProgramsOf(profile), (std::vector<NamedProgram>{of_unit,
                                                            {R"(clock state "10w")", "nvpmodel -m 2"},
                                                            {R"(clock state "10w")", "nvpmodel -q"}}));
}

TEST(NamedPrograms, AreRefusedByNameUnlessAllowed) {
  const std::vector<NamedProgram> one = {{"background", "stress"}};
  EXPECT_EQ(ErrorOf([&] { CheckAllowed("s.json", one, true); }), "no error");
  EXPECT_EQ(ErrorOf([&] { CheckAllowed("s.json", {}, false); }), "no error");
  EXPECT_EQ(
      ErrorOf([&] { CheckAllowed("s.json", one, false); }),
      "s.json: names a program to be started, background: \"stress\"; --allow-commands starts what files "
      "name");
}

TEST(NamedPrograms, ThatAreManyOrLongAreShortened) {
  std::vector<NamedProgram> many(6, {"background", std::string(200, 'x')});
  const std::string error = ErrorOf([&] { CheckAllowed("s.json", many, false); });
  EXPECT_NE(error.find("; 2 more; --allow-commands"), std::string::npos) << error;
  EXPECT_EQ(error.find(std::string(101, 'x')), std::string::npos);
}

}  // namespace
}  // namespace tandem
