// Does the judge notice a unit that takes something else while a critical stream waits, and excuse one that
// waits for that?
#include <gtest/gtest.h>

#include "scenarios/check/rules.h"
#include "tests/support/json_scenario.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

// 4 us at 5 us, beside 10 us each of another model on the first unit, and 4 us each on the second. With
// `batches` two requests go together on a third one.
Scenario BrakeBeside(const std::string& critical, const std::string& more = "", bool batches = false) {
  const std::string layer =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const auto time = [](const std::string& model, const std::string& unit, int micros) {
    return R"({"layers": "*", "model": ")" + model + R"(.json", "unit": ")" + unit + R"(", "median_us": )" +
           std::to_string(micros) + "}";
  };
  const auto offline = [](const std::string& name, const std::string& model) {
    return R"({"name": ")" + name + R"(", "model": ")" + model +
           R"(.json", "count": 2, "arrival": {"type": "offline"}})";
  };
  const std::string third = batches ? R"(, {"name": "w", "kind": "npu", "memory": "dram"})" : "",
                    batched =
                        R"({"layers": "*", "model": "m3.json", "unit": "w", "batch": 2, "median_us": 12})",
                    together = offline("z", "m3");
  return JsonScenario{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"},
                                                   {"name": "v", "kind": "npu", "memory": "dram"})" +
          third + "]",
      R"("entries": [)" + time("m0", "u", 4) + ", " + time("m0", "v", 4) + ", " + time("m1", "u", 10) + ", " +
          time("m2", "v", 7) + (batches ? ", " + time("m3", "w", 10) + ", " + batched : "") + "]",
      {layer, layer, layer, layer},
      R"("transfer": "none", "streams": [{"name": "brake", "model": "m0.json", "count": 1, "deadline_us": 30)" +
          critical + R"(, "arrival": {"type": "periodic", "period_us": 50, "phase_us": 5}}, )" +
          offline("x", "m1") + ", " + offline("y", "m2") +
          (batches ? ", " + together.substr(0, together.size() - 1) + R"(, "batching": {"most": 2}})" : "") +
          "]" + more}
      .Read();
}

std::string Away(const std::string& unit, int from, int until) {
  return R"(, "away": [{"unit": ")" + unit + R"(", "from_us": )" + std::to_string(from) +
         R"(, "until_us": )" + std::to_string(until) + "}]";
}

// The brake was sent to the first unit, and the second one waits with its second task from 7 us on until it
// has begun, at 10.
TraceMaker Kept(const Scenario& scenario) {
  TraceMaker trace(scenario, "eft");
  trace.Task("u", "x", 0, 0, 0, 10);
  trace.Task("u", "brake", 0, 5, 10, 14);
  trace.Task("u", "x", 1, 0, 14, 24);
  trace.Task("v", "y", 0, 0, 0, 7);
  trace.Task("v", "y", 1, 0, 10, 17);
  return trace;
}

// Both units take what is not critical while the brake waits.
TraceMaker Late(const Scenario& scenario) {
  TraceMaker trace(scenario, "eft");
  trace.Task("u", "x", 0, 0, 0, 10);
  trace.Task("u", "x", 1, 0, 10, 20);
  trace.Task("u", "brake", 0, 5, 20, 24);
  trace.Task("v", "y", 0, 0, 0, 7);
  trace.Task("v", "y", 1, 0, 20, 27);
  return trace;
}
constexpr const char* kTakenBefore =
    "critical x #1 @10: unit \"u\" takes it while a task of a critical stream waits";

TEST(Critical, WhatOthersWaitForIsExcusedWhereAStreamIs) {
  EXPECT_EQ(Kept(BrakeBeside(R"(, "critical": true)")).FirstViolation(), "");
  EXPECT_EQ(Kept(BrakeBeside("")).FirstViolation(), "idle y #1 @7: it waits, and v is idle until 10 us");
}

TEST(Critical, NoUnitTakesAnythingElseThatCouldRunIt) {
  const Scenario scenario = BrakeBeside(R"(, "critical": true)");
  EXPECT_EQ(Late(scenario).FirstViolation(), kTakenBefore);
  TraceMaker other(scenario, "eft");
  other.Task("u", "x", 0, 0, 0, 10);
  other.Task("u", "brake", 0, 5, 10, 14);
  other.Task("u", "x", 1, 0, 14, 24);
  other.Task("v", "y", 0, 0, 0, 7);
  other.Task("v", "y", 1, 0, 7, 14);
  EXPECT_EQ(other.FirstViolation(),
            "critical y #1 @7: unit \"v\" takes it while a task of a critical stream waits");
}

TEST(Critical, AnAbsenceExcusesNothingThatIsBeforeIt) {
  const std::string critical = R"(, "critical": true)";
  for (const std::string& away : {Away("u", 900, 901), Away("u", 25, 26)})
    EXPECT_EQ(Late(BrakeBeside(critical, away)).FirstViolation(), kTakenBefore) << away;
  for (const std::string& away : {Away("v", 900, 901), Away("v", 22, 23)})
    EXPECT_EQ(Kept(BrakeBeside("", away)).FirstViolation(),
              "idle y #1 @7: it waits, and v is idle until 10 us")
        << away;
  EXPECT_EQ(Kept(BrakeBeside("", Away("v", 7, 10))).FirstViolation(), "");
}

TEST(Critical, BatchesOnAnotherUnitExcuseNothing) {
  const auto and_batches = [](TraceMaker trace) {
    trace.Task("w", "z", 0, 0, 0, 12);
    trace.Join("z", 1, 0, 0, 12);
    return trace;
  };
  const Scenario critical = BrakeBeside(R"(, "critical": true)", "", true), plain = BrakeBeside("", "", true);
  EXPECT_EQ(and_batches(Kept(critical)).FirstViolation(), "");
  EXPECT_EQ(and_batches(Late(critical)).FirstViolation(), kTakenBefore);
  EXPECT_EQ(and_batches(Kept(plain)).FirstViolation(), "idle y #1 @7: it waits, and v is idle until 10 us");
  TraceMaker order(plain, "fcfs");
  order.Task("u", "x", 1, 0, 0, 10);
  order.Task("u", "x", 0, 0, 10, 20);
  order.Task("v", "y", 0, 0, 0, 7);
  order.Task("v", "brake", 0, 5, 7, 11);
  order.Task("v", "y", 1, 0, 11, 18);
  EXPECT_EQ(and_batches(order).FirstViolation(),
            "order x #1 @0: unit \"u\" takes it before x #0, which comes first");
}

// Of the others only those with a core or the device of one that was named: not who shares with these in
// turn.
TEST(WithSharers, AreTheseAndWhoSharesACoreOrADeviceWithThem) {
  Platform platform;
  platform.units.resize(6);
  platform.units[0].cores = {1, 0};
  platform.units[1].cores = {1, 2};
  platform.units[2].cores = {2};
  platform.units[3].device = 0;
  platform.units[4].device = 0;
  platform.units[5].device = 1;
  using Units = std::vector<char>;
  EXPECT_EQ(WithSharers(platform, {1, 0, 0, 0, 0, 0}), (Units{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(WithSharers(platform, {0, 0, 0, 0, 1, 0}), (Units{0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(WithSharers(platform, {0, 1, 0, 0, 0, 1}), (Units{1, 1, 1, 0, 0, 1}));
  EXPECT_EQ(WithSharers(platform, Units(6)), Units(6));
}

// Each pair of them was looked at, and each look copied and sorted their cores.
TEST(WithSharers, TakeNoTimeByTheSquareOfTheUnits) {
  constexpr std::size_t kUnits = 100'000;
  Platform platform;
  platform.units.resize(kUnits);
  for (std::size_t u = 0; u < kUnits; ++u) platform.units[u].cores = {static_cast<std::int64_t>(u)};
  EXPECT_EQ(WithSharers(platform, std::vector<char>(kUnits, 1)), std::vector<char>(kUnits, 1));
}

}  // namespace
}  // namespace tandem
