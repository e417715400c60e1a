// Are the states that are named the best of all, and is what was left out or bounded really no better?
#include "sim/questions/state_choice.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/plan.h"
#include "sim/questions/certain_breach.h"
#include "sim/study/all_policies.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

Json ClockStates() { return Json::parse(ReadTextFile(FindScenario("clock-states"))); }

Scenario ReadStates(const Json& json) { return ScenarioToSimulate(json.dump(), "s.json", {}); }

StateChoice ChosenIn(const Json& json, const StateOptions& options = {}) {
  LongRun watch;
  return ChooseStates(ReadStates(json), options, watch).value();
}

std::string WrongStates(const Json& json, const StateOptions& options = {}) {
  return ErrorOf([&] { (void)ChosenIn(json, options); });
}

// The winner of the scenario where its file names these states.
Report WinnerIn(Json json, const StateChoice& choice, const StateRow& row) {
  for (std::size_t u = 0; u < row.names.size(); ++u) json["variants"][choice.unit_names[u]] = row.names[u];
  const Scenario scenario = ReadStates(json);
  LongRun watch;
  const std::vector<Report> reports =
      RunAll(scenario, scenario.policies, {.engine = Engine::kVirtual, .files = {}}, watch);
  return reports[RankReports(reports, scenario.objective).taken.value()];
}

TEST(StateChoice, IsTheBestOfAllStatesAsAFileWouldNameThem) {
  for (const char* objective : {"energy", "mean_latency", "throughput"}) {
    Json json = ClockStates();
    json["objective"] = objective;
    const StateChoice choice = ChosenIn(json);
    EXPECT_EQ(choice.unit_names, (std::vector<std::string>{"gpu", "cpu"}));
    ASSERT_EQ(choice.rows.size(), 6U);
    EXPECT_TRUE(choice.all_tried);
    const StateRow& best = *choice.Best();
    std::vector<Report> all = {WinnerIn(json, choice, best)};
    for (const StateRow& row : choice.rows) {
      const Report alone = WinnerIn(json, choice, row);
      EXPECT_EQ(row.as_asked, row.names == (std::vector<std::string>{"1300MHz", "2000MHz"}));
      if (row.report) {
        EXPECT_EQ(row.report->label, alone.label);
        EXPECT_EQ(ObjectiveValue(*row.report, choice.objective), ObjectiveValue(alone, choice.objective));
      } else {
        EXPECT_TRUE(row.cannot_be_best);
      }
      all.push_back(alone);
    }
    EXPECT_EQ(BestReports(all, choice.objective).front(), 0U) << objective;
  }
}

TEST(StateChoice, NothingIsBetterThanItsBounds) {
  for (const char* objective : {"energy", "makespan", "misses", "p99_latency"}) {
    Json json = ClockStates();
    json["objective"] = objective;
    const StateChoice choice = ChosenIn(json);
    for (const StateRow& row : choice.rows) {
      ASSERT_TRUE(row.bound && choice.bound) << objective;
      EXPECT_LE(*row.bound, ObjectiveValue(WinnerIn(json, choice, row), choice.objective).value());
      EXPECT_LE(*choice.bound, *row.bound);
    }
    const double value = ObjectiveValue(*choice.Best()->report, choice.objective).value();
    if (*choice.bound > 0) {
      EXPECT_DOUBLE_EQ(choice.gap.value(), value / *choice.bound - 1);
    }
  }
}

TEST(StateChoice, OfEqualsWhatComesNextCountsThenTheScenariosOwn) {
  Json json = ClockStates();
  json["objective"] = "misses";
  json["then"] = {"energy"};
  const StateChoice by_energy = ChosenIn(json);
  json["objective"] = "energy";
  json.erase("then");
  EXPECT_EQ(by_energy.Best()->names, ChosenIn(json).Best()->names) << "in those nothing is missed either";
  json["objective"] = "makespan";
  json["streams"] = {
      {{"name", "one"}, {"model", "mobilenet_v2"}, {"count", 1}, {"arrival", {{"type", "offline"}}}}};
  json["limits"] = Json::array();
  json["variants"]["cpu"] = "1000MHz";
  const StateChoice alike = ChosenIn(json);
  EXPECT_EQ(alike.Best()->names, (std::vector<std::string>{"1300MHz", "1000MHz"})) << "the CPU does nothing";
}

TEST(StateChoice, SlowAndSteadyWinsWhereDeadlinesAllowIt) {
  Json json = ClockStates();
  json["streams"][0]["arrival"]["fps"] = 10;
  json["streams"][1]["arrival"]["fps"] = 10;
  const StateChoice slow = ChosenIn(json);
  EXPECT_NE(slow.Best()->names[0], "1300MHz") << "the fastest state of the GPU wastes the most";
  json["streams"][0]["deadline_ms"] = 9;
  json["streams"][1]["deadline_ms"] = 12;
  const StateChoice fast = ChosenIn(json);
  EXPECT_EQ(fast.Best()->names[0], "1300MHz") << "no other is in time";
}

// Three requests of a GPU that takes 10 ms for one in its fast state and 20 ms in its slow one.
Json FastOrSlow(double fast_w, double slow_w) {
  Json json = {{"tandem", "scenario/1"}, {"name", "race"},       {"transfer", "none"},
               {"objective", "energy"},  {"policies", {"fcfs"}}, {"variants", {{"gpu", "fast"}}}};
  json["platform"] = {{"name", "b"}, {"memories", {{{"name", "m"}}}}};
  json["platform"]["units"] = {
      {{"name", "gpu"},
       {"kind", "gpu"},
       {"memory", "m"},
       {"idle_w", 1},
       {"states", {{{"name", "fast"}, {"busy_w", fast_w}}, {{"name", "slow"}, {"busy_w", slow_w}}}}}};
  json["profiles"] = {{{"platform", "b"}, {"origin", {{"kind", "estimated"}, {"method", "made up"}}}}};
  for (const bool slow : {false, true}) {
    json["profiles"][0]["entries"].push_back({{"model", "alexnet"},
                                              {"unit", "gpu"},
                                              {"layers", "*"},
                                              {"variant", slow ? "slow" : "fast"},
                                              {"median_ms", slow ? 20 : 10}});
  }
  json["streams"] = {{{"name", "s"},
                      {"model", "alexnet"},
                      {"count", 3},
                      {"arrival", {{"type", "periodic"}, {"period_ms", 40}}}}};
  return json;
}

// A request every 40 ms: fast 90 ms x 1 W + 3 x 10 ms x 11 W, slow 100 ms x 1 W + 3 x 20 ms x 4 W.
TEST(StateChoice, SlowAndSteadyWinsWhereTheFastStateWastes) {
  const StateChoice choice = ChosenIn(FastOrSlow(12, 5));
  EXPECT_EQ(choice.Best()->names, std::vector<std::string>{"slow"});
  EXPECT_NEAR(*choice.Best()->report->energy_j, 0.34, 1e-12);
  EXPECT_NEAR(*choice.bound, 0.34, 1e-6);
  EXPECT_NEAR(*choice.gap, 0, 1e-6) << "one unit, and nothing waits: the bound is the energy itself";
  EXPECT_NEAR(*choice.rows[0].bound, 0.42, 1e-6);
}

TEST(StateChoice, IsTheSameBySimGridsOwnPhysicsWhereNothingIsShared) {
  StateOptions fluid;
  fluid.engine = Engine::kFluid;
  const StateChoice choice = ChosenIn(FastOrSlow(12, 5), fluid);
  EXPECT_EQ(choice.Best()->names, std::vector<std::string>{"slow"});
  EXPECT_NEAR(*choice.Best()->report->energy_j, 0.34, 1e-12);
  EXPECT_NEAR(*choice.Best()->report->plugin_energy_j, 0.34, 1e-12);
}

// The slow state would need less, and cannot keep a deadline of 15 ms with requests of 20 ms.
TEST(StateChoice, StatesThatCannotKeepTheLimitsBoundNobody) {
  Json json = FastOrSlow(12, 5);
  json["streams"][0]["deadline_ms"] = 15;
  const StateChoice without = ChosenIn(json);
  EXPECT_NEAR(*without.bound, 0.34, 1e-6);
  EXPECT_FALSE(without.rows[0].breaks_limits || without.rows[1].breaks_limits);
  for (const char* limit : {"misses <= 0", "misses < 100 %", "streams.s.p99 <= 15 ms",
                            "streams.*.p50 <= 15 ms", "max <= 19 ms", "makespan <= 95 ms"}) {
    json["limits"] = {limit};
    const StateChoice choice = ChosenIn(json);
    EXPECT_EQ(choice.Best()->names, std::vector<std::string>{"fast"}) << limit;
    EXPECT_FALSE(choice.rows[0].breaks_limits) << limit;
    EXPECT_TRUE(choice.rows[1].breaks_limits) << limit;
    EXPECT_NEAR(*choice.bound, 0.42, 1e-6) << limit;
    EXPECT_NEAR(*choice.gap, 0, 1e-6) << limit;
    EXPECT_NE(StateChoiceText(choice, 200).find("in no states that may keep the limits does any"),
              std::string::npos);
  }
  // What both keep, and what neither does.
  for (const char* limit : {"misses <= 3", "streams.s.p99 <= 20 ms", "makespan <= 1 ms", "p99 <= 1 ms"}) {
    json["limits"] = {limit};
    EXPECT_NEAR(*ChosenIn(json).bound, 0.34, 1e-6) << limit;
  }
}

// The slow state leaks: 100 ms x 1 W + 3 x 20 ms x 8 W. Who races idles for 60 of its 90 ms.
TEST(StateChoice, RacingToIdleWinsWhereTheSlowStateLeaks) {
  const StateChoice choice = ChosenIn(FastOrSlow(12, 9));
  EXPECT_EQ(choice.Best()->names, std::vector<std::string>{"fast"});
  EXPECT_NEAR(*choice.Best()->report->energy_j, 0.42, 1e-12);
  EXPECT_NEAR(*choice.bound, 0.42, 1e-6);
}

// All three at once: fast 30 ms x (1 + 20) W + 3 x 10 ms x 11 W, slow 60 ms x (1 + 20) W + 3 x 20 ms x 4 W.
TEST(StateChoice, RacingWinsWhereTheRestOfTheBoardDrawsMuchUntilTheEnd) {
  Json json = FastOrSlow(12, 5);
  json["streams"][0]["arrival"] = {{"type", "offline"}};
  json["platform"]["units"].push_back(
      {{"name", "rest"}, {"kind", "cpu"}, {"memory", "m"}, {"idle_w", 20}, {"busy_w", 20}});
  const StateChoice choice = ChosenIn(json);
  EXPECT_EQ(choice.Best()->names, std::vector<std::string>{"fast"});
  EXPECT_NEAR(*choice.Best()->report->energy_j, 0.96, 1e-12);
  json["platform"]["units"][1]["idle_w"] = 1;  // 0.06 + 0.33 against 0.12 + 0.24
  json["platform"]["units"][1]["busy_w"] = 1;
  EXPECT_EQ(ChosenIn(json).Best()->names, std::vector<std::string>{"slow"});
}

TEST(StateChoice, IsWhatAScenarioIsPlannedInThen) {
  const Json json = FastOrSlow(12, 5);
  Scenario scenario = ReadStates(json);
  SetBestStates(ChosenIn(json), scenario);
  EXPECT_EQ(scenario.units[0].variant->name, "slow");
  EXPECT_TRUE(scenario.platform->units[0].InClockState());
  EXPECT_EQ(scenario.alone[0], Nanos{20'000'000});
}

TEST(StateChoice, AsksOnlyForTheUnitsThatAreNamed) {
  StateOptions options;
  options.units = {"cpu"};
  const StateChoice choice = ChosenIn(ClockStates(), options);
  EXPECT_EQ(choice.unit_names, std::vector<std::string>{"cpu"});
  EXPECT_EQ(choice.rows.size(), 2U);
  options.units = {"gpus"};
  EXPECT_EQ(WrongStates(ClockStates(), options), "--unit: no unit is called \"gpus\"; did you mean \"gpu\"?");
}

TEST(StateChoice, IsRefusedAtOnceWhereNoPolicyOfItCanWin) {
  StateOptions options;
  options.policies = {"best"};
  const std::string why =
      "best never wins, since it sees arrivals that are still to come; name a policy that `tandem policies "
      "list` does not call clairvoyant";
  EXPECT_EQ(WrongStates(ClockStates(), options), "--policy: " + why);
  Json json = ClockStates();
  json["policies"] = {"best"};
  EXPECT_EQ(WrongStates(json), "s.json:/policies: " + why);
  json["streams"][0]["count"] = json["streams"][1]["count"] = 3;
  options.policies = {"best", "fcfs"};
  EXPECT_EQ(ChosenIn(json, options).Best()->report->label, "fcfs");
}

TEST(StateChoice, LeavesThePrecisionAsItIs) {
  Json json = ClockStates();
  for (Json& entry : json["profiles"][0]["entries"]) {
    if (entry["variant"] == "450MHz" || entry["variant"] == "1000MHz") entry["precision"] = "int8";
  }
  const StateChoice choice = ChosenIn(json);
  EXPECT_EQ(choice.unit_names, std::vector<std::string>{"gpu"});
  for (const StateRow& row : choice.rows) EXPECT_NE(row.names[0], "450MHz");
  StateOptions options;
  options.units = {"cpu"};
  EXPECT_EQ(WrongStates(json, options), "--unit: of \"cpu\" the profiles know one state alone");
  for (Json& entry : json["profiles"][0]["entries"]) entry.erase("variant"), entry.erase("precision");
  Json& entries = json["profiles"][0]["entries"];
  entries = Json::array({entries[0], entries[3]});
  json.erase("variants");
  EXPECT_NE(WrongStates(json).find("of no unit do the profiles know two states"), std::string::npos)
      << WrongStates(json);
}

TEST(StateChoice, SaysInWhichStatesAModelRunsNowhere) {
  Json json = ClockStates();
  Json& entries = json["profiles"][0]["entries"];
  std::erase_if(entries.get_ref<Json::array_t&>(), [](const Json& entry) {
    return entry["model"] == "resnet50" && entry["variant"] == "450MHz";
  });
  const StateChoice choice = ChosenIn(json);
  for (const StateRow& row : choice.rows) {
    EXPECT_EQ(row.why.empty(), row.names[0] != "450MHz") << row.why;
    EXPECT_EQ(row.report.has_value(), row.why.empty() && !row.cannot_be_best);
  }
}

// A query of a multi_stream is many requests: of the few that are late for certain they make a small share.
TEST(StateChoice, CountsTheRequestsOfQueriesAmongThoseThatMayBeLate) {
  Json json = ClockStates();
  json["rules"] = "loadgen";
  json["limits"] = {"misses <= 20 %"};
  json["streams"] = {{{"name", "late"},
                      {"model", "resnet50"},
                      {"deadline_us", 1},
                      {"arrival",
                       {{"type", "multi_stream"},
                        {"min_duration_ms", 0},
                        {"min_query_count", 10},
                        {"samples_per_query", 1}}}},
                     {{"name", "many"},
                      {"model", "mobilenet_v2"},
                      {"deadline_s", 1000},
                      {"arrival",
                       {{"type", "multi_stream"},
                        {"min_duration_ms", 0},
                        {"min_query_count", 10},
                        {"samples_per_query", 8}}}}};
  Bound bound;
  bound.of_requests = {Nanos{1'000'000}, Nanos{1'000'000}};
  EXPECT_FALSE(BreaksALimitForCertain(ReadStates(json), bound)) << "10 of 90 may be all that are late";
  json["limits"] = {"misses <= 10 %"};
  EXPECT_TRUE(BreaksALimitForCertain(ReadStates(json), bound));
}

// Nine units of two states make 512 choices.
TEST(StateChoice, GoesUnitByUnitWhereThereAreTooMany) {
  Json json = {{"tandem", "scenario/1"}, {"name", "many"},       {"transfer", "none"},
               {"objective", "energy"},  {"policies", {"fcfs"}}, {"limits", {"misses <= 0"}}};
  json["platform"] = {{"name", "b"}, {"memories", {{{"name", "m"}}}}};
  json["profiles"] = {{{"platform", "b"}, {"origin", {{"kind", "estimated"}, {"method", "made up"}}}}};
  const std::vector<std::string> models = {"alexnet", "resnet50", "vgg16"};
  for (int u = 0; u < 9; ++u) {
    const std::string unit = "u" + std::to_string(u);
    json["platform"]["units"].push_back(
        {{"name", unit}, {"kind", "cpu"}, {"memory", "m"}, {"idle_w", 0.1}, {"busy_w", 1}});
    for (const bool slow : {false, true}) {
      json["profiles"][0]["entries"].push_back({{"model", "alexnet"},
                                                {"unit", unit},
                                                {"layers", "*"},
                                                {"variant", slow ? "slow" : "fast"},
                                                {"median_ms", slow ? 2 : 1},
                                                {"energy_j", slow == (u % 2 == 0) ? 0.001 : 0.002}});
    }
  }
  json["streams"] = {{{"name", "s"},
                      {"model", "alexnet"},
                      {"count", 90},
                      {"deadline_ms", 50},
                      {"arrival", {{"type", "periodic"}, {"period_ms", 1}}}}};
  const StateChoice choice = ChosenIn(json);
  EXPECT_FALSE(choice.all_tried);
  EXPECT_FALSE(choice.bound) << "nothing is known of states that nobody tried";
  EXPECT_LT(choice.rows.size(), 512U);
  const auto own = std::ranges::find_if(choice.rows, &StateRow::as_asked);
  EXPECT_LT(*choice.Best()->report->energy_j, *own->report->energy_j);
}

TEST(StateChoice, WhatAUnitDrawsAtIdleIsItsStates) {
  Json json = ClockStates();
  Json& units = json["platform"]["units"];
  const StateChoice by_state = ChosenIn(json);
  for (Json& unit : units) unit.erase("states");
  const StateChoice alike = ChosenIn(json);
  units[0]["idle_w"] = 2.1;  // in the state that the scenario names
  units[1]["idle_w"] = 1;
  const StateChoice fast = ChosenIn(json);
  const auto own = [](const StateChoice& choice) {
    return *std::ranges::find_if(choice.rows, &StateRow::as_asked);
  };
  ASSERT_TRUE(own(by_state).report && own(fast).report);
  EXPECT_EQ(*own(by_state).report->energy_j, *own(fast).report->energy_j);
  EXPECT_EQ(own(by_state).bound, own(fast).bound);
  EXPECT_GT(*own(by_state).bound, *own(alike).bound);
  const auto slow = [](const StateChoice& choice) {
    return *std::ranges::find(choice.rows, std::vector<std::string>{"450MHz", "1000MHz"}, &StateRow::names);
  };
  EXPECT_LT(*slow(by_state).bound, *slow(alike).bound);
}

TEST(StateChoice, IsWrittenAsAScenario) {
  const TempFolder folder;
  const std::string file = (folder / "chosen.scenario.json").string();
  Scenario scenario = LoadScenario("clock-states");
  SetVariant(scenario.platform->FindUnit("gpu"), {"450MHz", "fp32"}, scenario);
  WriteFile(file, ScenarioAsSet(scenario, file));
  const Scenario again = LoadScenario(file);
  EXPECT_EQ(again.units[0].variant->name, "450MHz");
  EXPECT_EQ(again.units[1].variant->name, "2000MHz");
  EXPECT_EQ(again.policies.size(), scenario.policies.size());
  EXPECT_EQ(again.alone, scenario.alone);
}

TEST(StateChoice, TellsItInWordsAndInJson) {
  const StateChoice choice = ChosenIn(ClockStates());
  const std::string text = StateChoiceText(choice, 80);
  EXPECT_NE(text.find("* "), std::string::npos) << text;
  EXPECT_NE(text.find("in no states does any of these policies reach less than"), std::string::npos) << text;
  const Json json = Json::parse(StateChoiceJson(choice));
  EXPECT_EQ(json["tandem"], "state_choice/1");
  EXPECT_EQ(json["choices"].size(), 6U);
  EXPECT_EQ(json["bound"], *choice.bound);
}

}  // namespace
}  // namespace tandem
