// Is the lower bound what the semantics page says, and never above what a schedule can reach?
#include "policies/bounds/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "policies/bounds/alike_units.h"
#include "policies/bounds/any_cut.h"
#include "policies/bounds/linear_program.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "scenarios/arrivals/random.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

Scenario Shipped(const std::string& name) {
  return ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
}

Bound BoundOf(const Scenario& scenario, Granularity granularity = Granularity::kModel) {
  return LowerBound(Problem(scenario, granularity));
}

TEST(Bound, Study003) { EXPECT_EQ(BoundOf(Shipped("study-003")).makespan, Nanos{2968613577}); }

TEST(Bound, Study003WithResnet50AloneOnTheNcs2) {
  Scenario scenario = Shipped("study-003");
  const UnitId ncs2 = scenario.platform->FindUnit("ncs2");
  const auto held = std::find_if(scenario.models.begin(), scenario.models.end(),
                                 [](const ScenarioModel& model) { return model.name == "resnet50"; });
  scenario.units[ncs2.index()].resident = {ModelId(static_cast<std::size_t>(held - scenario.models.begin()))};
  EXPECT_EQ(BoundOf(scenario).makespan, Nanos{2977480293});
}

// A certificate from the other side: a division into 10^12ths that ends within a nanosecond of the bound.
TEST(Bound, Study003IsTheProgramsAnswerToTheNanosecond) {
  const std::vector<std::vector<std::int64_t>> us = {
      {86355, 27459, 3393, 10499}, {582072, 50743, 54086, 21345}, {1201923, 94509, 108260, 31770}};
  std::vector<WorkClass> classes;
  for (const auto& row : us) {
    classes.push_back({100, {}});
    for (const std::int64_t time : row) classes.back().time.emplace_back(time * 1000);
  }
  const std::vector<std::int64_t> slots(4, 1);
  const Division division = Divide(classes, slots);
  if (division.shares.empty()) GTEST_SKIP() << "built without COIN-OR";
  std::vector<double> load(4);
  for (std::size_t c = 0; c < 3; ++c) {
    double whole = 0;
    for (std::size_t u = 0; u < 4; ++u) {
      whole += division.shares[c][u];
      load[u] += division.shares[c][u] * 100 * static_cast<double>(classes[c].time[u].count());
    }
    EXPECT_GE(whole, 1 - 1e-12);
  }
  const auto bound = static_cast<double>(DivisionBound(classes, slots).count());
  EXPECT_LT(*std::max_element(load.begin(), load.end()), bound + 1.01);
}

// Any weights prove a bound; those of the balancing are near those of the program.
TEST(Bound, WithoutASolverItIsWeakerByAPerCentOrTwo) {
  const Scenario scenario = Shipped("study-003");
  const Problem problem(scenario, Granularity::kModel);
  std::vector<WorkClass> classes;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    classes.push_back({100, {}});
    for (std::size_t u = 0; u < problem.units(); ++u) {
      classes.back().time.push_back(problem.Time(SegmentId(s), UnitId(u)));
    }
  }
  const std::vector<std::int64_t> slots(problem.units(), 1);
  const Nanos balanced = ProvedDivision(classes, slots, BalancedWeights(classes, slots));
  EXPECT_LE(balanced, Nanos{2968613577});
  EXPECT_GE(balanced, Nanos{2968613577} * 98 / 100);
}

// Two kinds of work on so many units of each of three kinds, some of which have two slots.
std::pair<std::vector<WorkClass>, std::vector<std::int64_t>> ThreeKinds(std::size_t units_each) {
  const std::vector<std::vector<int>> ms = {{1, 2, 5}, {4, 3, -1}};
  std::vector<WorkClass> classes;
  for (const std::vector<int>& times : ms) {
    classes.push_back({5'000'000, {}});
    for (std::size_t u = 0; u < 3 * units_each; ++u)
      classes.back().time.emplace_back(times[u % 3] * std::int64_t{1'000'003});
  }
  std::vector<std::int64_t> slots;
  for (std::size_t u = 0; u < 3 * units_each; ++u) slots.push_back(u % 2 == 0 ? 1 : 2);
  return {std::move(classes), std::move(slots)};
}

TEST(Bound, UnitsThatAreAlikeAreOneWithAllTheirSlots) {
  const auto [classes, slots] = ThreeKinds(4);
  const AlikeUnits alike = MergeAlike(classes, slots);
  EXPECT_EQ(alike.slots, (std::vector<std::int64_t>{6, 6, 6}));
  EXPECT_EQ(alike.of_unit, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
  ASSERT_EQ(alike.classes.size(), 2U);
  EXPECT_EQ(alike.classes[1].count, classes[1].count);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (std::size_t u = 0; u < slots.size(); ++u) {
      EXPECT_EQ(std::max(alike.classes[c].time[alike.of_unit[u]], Nanos{-1}),
                std::max(classes[c].time[u], Nanos{-1}));
    }
  }
}

// One program over three units instead of 9,000, whose answer is the same to the nanosecond.
TEST(Bound, ThousandsOfUnitsOfFewKindsAreBoundByTheProgram) {
  if (!SolverIsBuiltIn()) GTEST_SKIP() << "built without COIN-OR";
  const auto [classes, slots] = ThreeKinds(3000);
  const AlikeUnits alike = MergeAlike(classes, slots);
  ASSERT_EQ(alike.slots.size(), 3U);
  EXPECT_EQ(DivisionBound(classes, slots), DivisionBound(alike.classes, alike.slots));
  const Division division = Divide(classes, slots);
  ASSERT_EQ(division.shares.size(), 2U);
  std::vector<double> load(slots.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    double whole = 0;
    for (std::size_t u = 0; u < slots.size(); ++u) {
      whole += division.shares[c][u];
      load[u] += division.shares[c][u] * static_cast<double>(classes[c].count) *
                 static_cast<double>(classes[c].time[u].count()) / static_cast<double>(slots[u]);
    }
    EXPECT_NEAR(whole, 1, 1e-9);
  }
  const auto bound = static_cast<double>(DivisionBound(classes, slots).count());
  EXPECT_LT(*std::max_element(load.begin(), load.end()), bound * (1 + 1e-8) + 1);
}

TEST(Bound, NoProgramIsSolvedOverMoreUnitsThanThereIsTimeFor) {
  LinearProgram program;
  program.Add(0, 1.0);
  program.EndColumn(1);
  program.row_lower = {1.0};
  program.row_upper = {1.0};
  program.units = 1;
  EXPECT_EQ(SolveProgram(program).has_value(), SolverIsBuiltIn());
  program.units = 1'000'001;
  EXPECT_FALSE(SolveProgram(program));
}

// No program of 20,000 units that all differ ends in time; by one factor for all work they need none.
TEST(Bound, ThousandsOfUnitsThatDifferInSpeedAreBoundByTheirSpeeds) {
  constexpr std::size_t kThatDiffer = 20'000;
  std::vector<WorkClass> classes = {{7'000'000, {}}, {3'000'000, {}}};
  double per_time = 0;
  for (std::size_t u = 0; u < kThatDiffer; ++u) {
    const auto time = static_cast<std::int64_t>(1'000'000 + 100 * u);
    classes[0].time.emplace_back(time);
    classes[1].time.emplace_back(3 * time);
    per_time += 1.0 / static_cast<double>(time);
  }
  const double least = (7'000'000 + 3 * 3'000'000) / per_time;
  const auto bound =
      static_cast<double>(DivisionBound(classes, std::vector<std::int64_t>(kThatDiffer, 1)).count());
  EXPECT_LE(bound, least + 1);
  EXPECT_GE(bound, least * (1 - 1e-6));
}

std::string Streams(const std::string& streams) {
  return R"("policies": ["fcfs"], "streams": [)" + streams + "]";
}

Nanos MiniBound(const std::string& streams) {
  const Scenario scenario = ReadMini(Streams(streams));
  return BoundOf(scenario).makespan.value();
}

TEST(Bound, ClosedStreamsRunInChains) {
  const auto closed = [](const std::string& in_flight) {
    return MiniBound(R"({"name": "a", "model": "mobilenet_v2", "count": 5,
                         "arrival": {"type": "closed", "in_flight": )" +
                     in_flight + "}}");
  };
  EXPECT_EQ(closed("1"), std::chrono::microseconds(500));
  EXPECT_EQ(closed("2"), std::chrono::microseconds(300));
  EXPECT_EQ(closed("5"), Nanos{500000 * 4 / 7});  // all at once: 5 / (1/400 + 1/200 + 1/100) us
}

TEST(Bound, NothingEndsBeforeItsReleaseAndItsTime) {
  const std::string periodic =
      R"({"name": "a", "model": "resnet50", "count": 2, "arrival": {"type": "periodic", "period_us": 9000}})";
  EXPECT_EQ(MiniBound(periodic), std::chrono::microseconds(10000));
}

TEST(Bound, WhatComesLateHasToFitInAfterItsRelease) {
  const std::string late = R"({"name": "a", "model": "resnet50", "count": 2,
      "arrival": {"type": "periodic", "period_us": 9000}},
     {"name": "b", "model": "resnet50", "count": 40,
      "arrival": {"type": "periodic", "period_us": 0.001, "phase_us": 50000}})";
  EXPECT_GE(MiniBound(late), std::chrono::microseconds(50000 + 32000 - 1));
}

TEST(Bound, ChoosesResidentsWhereAPolicyMay) {
  const std::string streams =
      R"({"name": "a", "model": "mobilenet_v2", "count": 10, "arrival": {"type": "offline"}},
                                 {"name": "b", "model": "resnet18", "count": 1, "arrival": {"type": "offline"}})";
  // The npu must hold resnet18, which runs nowhere else: 10 / (1/400 + 1/200) us on the others.
  EXPECT_EQ(MiniBound(streams), Nanos{4000000 / 3});
}

TEST(Bound, CoversOnlyWhatIsCertain) {
  const std::string dropping =
      R"({"name": "a", "model": "resnet50", "count": 9, "arrival": {"type": "offline"},
                                   "deadline_us": 1500, "drop_late": true})";
  const Scenario scenario = ReadMini(Streams(dropping));
  const Bound bound = BoundOf(scenario);
  EXPECT_FALSE(bound.makespan);
  EXPECT_FALSE(bound.mean_latency);
  EXPECT_EQ(bound.why_null, "no request is certain to be completed");
  EXPECT_EQ(MiniBound(dropping + R"(, {"name": "b", "model": "resnet50", "count": 1,
                                       "arrival": {"type": "offline"}})"),
            std::chrono::microseconds(1000));
}

// A stream that ends by the clock goes on until then.
TEST(Bound, AStreamThatEndsByTheClockLastsUntilThen) {
  EXPECT_EQ(
      MiniBound(R"({"name": "a", "model": "mobilenet_v2", "duration_ms": 7, "arrival": {"type": "closed"}})"),
      std::chrono::milliseconds(7));
}

std::string RandomStream(StreamRandom& random, int number) {
  const std::string model = random.UniformUpTo(1) > 0 ? "mobilenet_v2" : "resnet50";
  std::string text = R"({"name": "s)" + std::to_string(number) + R"(", "model": ")" + model +
                     R"(", "count": )" + std::to_string(1 + random.UniformUpTo(8)) + R"(, "arrival": )";
  const std::int64_t kind = random.UniformUpTo(3);
  const std::string figure = std::to_string(1 + random.UniformUpTo(900));
  if (kind == 0) return text + R"({"type": "offline"}})";
  if (kind == 1) return text + R"({"type": "closed", "in_flight": )" + std::to_string(figure.size()) + "}}";
  if (kind == 2) return text + R"({"type": "poisson", "rate_per_s": )" + figure + "}}";
  return text + R"({"type": "periodic", "period_us": )" + figure + R"(, "phase_us": )" + figure + "}}";
}

TEST(Bound, NoPolicyIsBelowIt) {
  StreamRandom random("bounds", 1);
  for (int round = 0; round < 25; ++round) {
    std::string streams = RandomStream(random, 0);
    for (std::int64_t more = random.UniformUpTo(2); more > 0; --more) {
      streams += ", " + RandomStream(random, static_cast<int>(more));
    }
    const Scenario scenario = ReadMini(Streams(streams));
    const Bound bound = BoundOf(scenario);
    for (const std::string policy : {R"("fcfs")", R"("sjf")", R"("eft")"}) {
      const Outcome outcome = RunPolicy(scenario, policy);
      EXPECT_GE(outcome.makespan(), bound.makespan.value()) << streams << policy;
      Nanos latency{0};
      std::int64_t requests = 0;
      for (const StreamOutcome& stream : outcome.streams) {
        for (const Nanos one : stream.latencies) latency += one;
        requests += stream.completed();
      }
      EXPECT_GE(latency / requests, bound.mean_latency.value()) << streams << policy;
    }
  }
}

// Two layers, each fast on one of two units whose memories are apart.
std::string ChainWithCopies(const std::string& link) {
  return R"("memories": [{"name": "dram"}, {"name": "vram"}],
            "links": [{"from": "dram", "to": "vram", "bandwidth_bytes_per_s": 1000000000)" +
         link + R"(}],
            "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"},
                      {"name": "gpu", "kind": "gpu", "memory": "vram"}])";
}

Scenario CopyScenario(const std::string& link, const std::string& more) {
  return JsonScenario{
      ChainWithCopies(link),
      R"("entries": [{"model": "./m0.json", "unit": "cpu", "layers": ["a"], "median_us": 10},
                     {"model": "./m0.json", "unit": "cpu", "layers": ["b"], "median_us": 100},
                     {"model": "./m0.json", "unit": "gpu", "layers": ["a"], "median_us": 100},
                     {"model": "./m0.json", "unit": "gpu", "layers": ["b"], "median_us": 10}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 25, 100]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "relu", "inputs": ["a"]}])"},
      R"("streams": [{"name": "s", "model": "./m0.json", "count": 1, "arrival": {"type": "offline"}}])" +
          more}
      .Read();
}

// 10,000 bytes, 10 us: once there and once back, whoever copies.
TEST(Bound, AChainPaysForTheCopiesBetweenItsUnits) {
  for (const char* link : {"", R"(, "engine": true)"}) {
    const Scenario scenario = CopyScenario(link, "");
    EXPECT_EQ(BoundOf(scenario, Granularity::kLayer).makespan, std::chrono::microseconds(40)) << link;
    EXPECT_EQ(RunPolicy(scenario, R"({"name": "fastest_unit", "granularity": "layer"})").makespan(),
              std::chrono::microseconds(40));
  }
  for (const char* mode : {"none", "zero_copy"}) {
    const std::string transfer = std::string(R"(, "transfer": ")") + mode + "\"";
    EXPECT_EQ(BoundOf(CopyScenario("", transfer), Granularity::kLayer).makespan,
              std::chrono::microseconds(20));
  }
}

// A memory of half the link's bandwidth: 20 us each way, in the bound as in the run.
TEST(Bound, CopiesCountAtTheBandwidthOfTheNarrowestThingTheyGoOver) {
  Scenario scenario = CopyScenario("", "");
  scenario.platform->memories[1].bandwidth_bytes_per_s = 5e8;
  EXPECT_EQ(BoundOf(scenario, Granularity::kLayer).makespan, std::chrono::microseconds(60));
  EXPECT_EQ(RunPolicy(scenario, R"({"name": "fastest_unit", "granularity": "layer"})").makespan(),
            std::chrono::microseconds(60));
}

// Whoever may read through mappings instead pays for no copy.
TEST(Bound, OpenEdgesAreFree) {
  const Scenario scenario = CopyScenario("", "");
  EXPECT_EQ(LowerBound(Problem(scenario, Granularity::kLayer), OpenEdges::kYes).makespan,
            std::chrono::microseconds(20));
}

// Of a whole model in another memory the slot copies inputs and outputs, unless engines do.
TEST(Bound, ASlotIsBusyWithTheCopiesThatItMakes) {
  const auto many = [](const char* link) {
    Scenario scenario = CopyScenario(link, R"(, "resident": {"cpu": []})");
    scenario.streams[0].until.count = 100;
    return BoundOf(scenario).makespan;
  };
  EXPECT_EQ(many(""), std::chrono::microseconds(100 * 130));
  EXPECT_EQ(many(R"(, "engine": true)"), std::chrono::microseconds(100 * 110));
}

// Wherever a policy takes a random scenario, at every granularity, and for the bound over all cuts too.
TEST(Bound, HoldsOnRandomScenarios) {
  std::int64_t runs = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const Nanos free = FreeCutBound(scenario, false).makespan.value_or(Nanos{0}),
                split = FreeCutBound(scenario, true).makespan.value_or(Nanos{0});
    EXPECT_LE(split, free) << seed;
    for (const Granularity granularity : {Granularity::kModel, Granularity::kLayer}) {
      try {
        const Bound bound = BoundOf(scenario, granularity);
        for (const char* policy : {"fcfs", "eft", "fastest_unit"}) {
          const Outcome outcome =
              RunPolicy(scenario, std::string(R"({"name": ")") + policy + R"(", "granularity": ")" +
                                      std::string(NameOf(kGranularityNames, granularity)) + "\"}");
          ++runs;
          EXPECT_LE(bound.makespan.value_or(Nanos{0}), outcome.makespan()) << seed << policy;
          EXPECT_LE(free, outcome.makespan()) << seed << policy;
        }
      } catch (const InputError&) {
        // It does not run at this granularity.
      }
    }
  }
  EXPECT_GT(runs, 4000);
}

}  // namespace
}  // namespace tandem
