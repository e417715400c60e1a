// Do critical streams keep units from the others while they wait, and only then?
#include "policies/kinds/critical_first.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using Latencies = std::deque<Nanos>;

const std::string kRelu =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

std::string TimeOf(int model, const std::string& unit, int micros) {
  return R"({"layers": "*", "model": "m)" + std::to_string(model) + R"(.json", "unit": ")" + unit +
         R"(", "median_us": )" + std::to_string(micros) + "}";
}
std::string OfflineOf(int model, int count) {
  return R"(, {"name": "s)" + std::to_string(model) + R"(", "model": "m)" + std::to_string(model) +
         R"(.json", "count": )" + std::to_string(count) + R"(, "arrival": {"type": "offline"}})";
}
// 4 us every 25, from 5 us on.
std::string Brake(int count, bool critical) {
  return R"("transfer": "none", "streams": [{"name": "brake", "model": "m0.json", "deadline_us": 20, )" +
         std::string(critical ? R"("critical": true, )" : "") + R"("count": )" + std::to_string(count) +
         R"(, "arrival": {"type": "periodic", "period_us": 25, "phase_us": 5}})";
}

Scenario OnOneUnit(bool critical) {
  return JsonScenario{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"}])",
      R"("entries": [)" + TimeOf(0, "u", 4) + ", " + TimeOf(1, "u", 10) + "]",
      {kRelu, kRelu},
      Brake(3, critical) + OfflineOf(1, 5) + "]"}
      .Read();
}

TEST(CriticalFirst, AUnitTakesThemBeforeAllOthersWhateverThePolicy) {
  const Latencies first{microseconds{9}, microseconds{8}, microseconds{7}};
  for (const char* policy :
       {R"("fcfs")", R"("eft")", R"("edf")", R"("heft")", R"("round_robin")", R"("triton")", R"("unmanaged")",
        R"({"name": "priority", "rank": {"u": ["m1.json", "m0.json"]}})"}) {
    EXPECT_EQ(RunPolicy(OnOneUnit(true), policy).streams[0].latencies, first) << policy;
  }
  EXPECT_EQ(RunPolicy(OnOneUnit(false), R"("fcfs")").streams[0].latencies,
            (Latencies{microseconds{49}, microseconds{28}, microseconds{7}}));
}

TEST(CriticalFirst, UnitsThatCouldRunThemWaitAndGoOnOnceTheyAreTaken) {
  const auto others = [](bool critical) {
    const Scenario scenario =
        JsonScenario{
            R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"},
                                                                {"name": "v", "kind": "npu", "memory": "dram"}])",
            R"("entries": [)" + TimeOf(0, "u", 4) + ", " + TimeOf(0, "v", 4) + ", " + TimeOf(1, "u", 10) +
                ", " + TimeOf(2, "v", 4) + "]",
            {kRelu, kRelu, kRelu},
            Brake(1, critical) + OfflineOf(1, 1) + OfflineOf(2, 3) + "]"}
            .Read();
    const Outcome outcome =
        RunPolicy(scenario, R"({"name": "given", "map": {"m0.json": "u", "m1.json": "u", "m2.json": "v"}})");
    EXPECT_EQ(outcome.streams[0].latencies, (Latencies{microseconds{9}}));
    return Latencies(outcome.streams[2].latencies);
  };
  EXPECT_EQ(others(false), (Latencies{microseconds{4}, microseconds{8}, microseconds{12}}));
  EXPECT_EQ(others(true), (Latencies{microseconds{4}, microseconds{8}, microseconds{14}}))
      << "from 8 to 10 us the brake waits for the other unit";
}

TEST(CriticalFirst, NoOrderThatIsFixedBeforeTheRunStandsBesideThem) {
  const Scenario scenario = OnOneUnit(true);
  const Problem problem(scenario, Granularity::kModel);
  Decisions decisions;
  decisions.granularity = Granularity::kModel;
  decisions.residents.resize(1);
  decisions.schedule = std::make_shared<FixedSchedule>();
  const std::string what = ErrorOf([&] { MakeDecided(decisions, problem); });
  EXPECT_NE(
      what.find("streams are critical, and an order of tasks that is fixed before the run lets no stream "
                "go first; take the plan of a policy that decides as the run goes on"),
      std::string::npos)
      << what;
}

TEST(CriticalFirst, ASearchTakesTheBestOfTheRules) {
  const Outcome outcome = RunPolicy(OnOneUnit(true), R"({"name": "best", "evaluations": 20})");
  EXPECT_EQ(outcome.streams[0].latencies, (Latencies{microseconds{9}, microseconds{8}, microseconds{7}}));
}

}  // namespace
}  // namespace tandem
