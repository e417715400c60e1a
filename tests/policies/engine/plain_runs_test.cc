// Plain runs have a loop of their own, without what they do not use. Do they come out as by the other one?
#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

std::string TimeOf(const std::string& model, const std::string& unit, int us) {
  return R"({"model": ")" + model + R"(.json", "unit": ")" + unit + R"(", "layers": "*", "median_us": )" +
         std::to_string(us) + "}";
}

// Units of different speeds, one of which cannot run one of the models; streams of every kind that hangs on
// no other.
Scenario OfPlainTasks() {
  const std::string relu = R"([{"name": "in", "op": "input", "shape": [1, 1, 1, 1]},
                               {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}],
         "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                   {"name": "u1", "kind": "cpu", "memory": "dram", "dispatch_us": 2},
                   {"name": "u2", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [)" + TimeOf("m0", "u0", 7) + "," + TimeOf("m0", "u1", 3) + "," + TimeOf("m0", "u2", 20) +
          "," + TimeOf("m1", "u0", 11) + "," + TimeOf("m1", "u1", 5) + "]",
      {relu, relu},
      R"("transfer": "none", "streams": [
          {"name": "by the clock", "model": "m0.json", "count": 300, "deadline_ms": 0.02,
           "arrival": {"type": "periodic", "period_ms": 0.01}},
          {"name": "at random", "model": "m1.json", "count": 300, "priority": 2, "deadline_ms": 0.03,
           "arrival": {"type": "poisson", "rate_per_s": 60000}},
          {"name": "in turn", "model": "m1.json", "count": 100, "arrival": {"type": "closed", "in_flight": 2}},
          {"name": "all at once", "model": "m0.json", "count": 100, "arrival": {"type": "offline"}}])"};
  return json.Read();
}

// Where the watts of all units are known the work of streams is counted apart, and the run is not plain.
Scenario WithWatts(Scenario scenario) {
  for (Unit& unit : scenario.platform->units) unit.idle_w = 2;
  return scenario;
}

class PlainRuns : public testing::TestWithParam<const char*> {};

TEST_P(PlainRuns, ComeOutAsThoseOfWhichMoreIsNoted) {
  const Scenario plain = OfPlainTasks(), noted = WithWatts(plain);
  const std::string policy = '"' + std::string(GetParam()) + '"';
  EXPECT_EQ(SpansOf(plain, policy), SpansOf(noted, policy));
  const Outcome a = RunPolicy(plain, policy), b = RunPolicy(noted, policy);
  EXPECT_EQ(a.first_release, b.first_release);
  EXPECT_EQ(a.last_completion, b.last_completion);
  EXPECT_EQ(a.end, b.end);
  for (std::size_t s = 0; s < a.streams.size(); ++s) {
    EXPECT_EQ(a.streams[s].latencies, b.streams[s].latencies);
    EXPECT_EQ(a.streams[s].released, b.streams[s].released);
    EXPECT_EQ(a.streams[s].missed, b.streams[s].missed);
    EXPECT_EQ(a.streams[s].last_release, b.streams[s].last_release);
  }
  for (std::size_t u = 0; u < a.units.size(); ++u) {
    EXPECT_EQ(a.units[u].busy, b.units[u].busy);
    EXPECT_EQ(a.units[u].tasks, b.units[u].tasks);
    EXPECT_EQ(a.units[u].unprofiled_busy, b.units[u].unprofiled_busy);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlainRuns,
                         testing::Values("fcfs", "sjf", "priority", "round_robin", "edf", "eft", "affinity"),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace tandem
