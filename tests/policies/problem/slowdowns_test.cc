// Does work slow down beside other units' work as the profile's entries, curves and traffic say?
#include "policies/problem/slowdowns.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

// Two layers: one alone would be the whole model at every granularity.
const std::string kLayers = R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 2]},
                                {"name": "a", "op": "relu", "inputs": ["in"]},
                                {"name": "b", "op": "relu", "inputs": ["a"]}])";

std::string Point(const std::string& beside, const std::string& traffic, const std::string& slowdown,
                  const std::string& more = "") {
  return R"({"unit": "u0", "beside": ")" + beside + R"(", "beside_traffic_bytes_per_s": )" + traffic +
         R"(, "slowdown": )" + slowdown + more + "}";
}
std::string Known(const std::string& beside, const std::string& slowdown, const std::string& more = "") {
  return R"({"unit": "u0", "beside": ")" + beside + R"(", "slowdown": )" + slowdown + more + "}";
}
std::string Traffic(const std::string& model, const std::string& unit, const std::string& bytes_per_s,
                    const std::string& more = "") {
  return R"({"model": ")" + model + R"(", "unit": ")" + unit + R"(", "bytes_per_s": )" + bytes_per_s + more +
         "}";
}

// What 10 us on u0 take while m1 runs on u1 and m2 on u2 all the time.
std::int64_t Takes(const std::string& co_running, const std::string& traffic,
                   const std::string& granularity = "model", const std::string& together = "") {
  std::string entries;
  for (const auto& [model, unit, half] : {std::tuple("m0", "u0", 5), {"m1", "u1", 500}, {"m2", "u2", 500}}) {
    for (const char* layer : {"a", "b"}) {
      entries += std::string(entries.empty() ? "" : ", ") + R"({"model": ")" + model +
                 R"(.json", "unit": ")" + unit + R"(", "layers": [")" + layer + R"("], "median_us": )" +
                 std::to_string(half) + "}";
    }
  }
  const JsonScenario json{
      R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "dram"},
                {"name": "u2", "kind": "npu", "memory": "dram"}])",
      R"("entries": [)" + entries + R"(], "co_running": [)" + co_running + R"(], "traffic": [)" + traffic +
          R"(], "together": [)" + together + "]",
      {kLayers, kLayers, kLayers},
      R"("streams": [
      {"name": "s0", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
      {"name": "s1", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}},
      {"name": "s2", "model": "m2.json", "count": 1, "arrival": {"type": "offline"}}])"};
  const Outcome outcome =
      RunPolicy(json.Read(), R"({"name": "fcfs", "granularity": ")" + granularity + R"("})");
  return outcome.streams[0].latencies[0].count();
}

const std::string kCurve = Point("u1", "4e9", "3") + ", " + Point("u1", "2e9", "1.5");

TEST(Slowdowns, AreReadOffACurveAtTheTrafficOfWhatRunsBeside) {
  EXPECT_EQ(Takes(kCurve, Traffic("m1.json", "u1", "0")), 10000);
  EXPECT_EQ(Takes(kCurve, Traffic("m1.json", "u1", "1e9")), 12500);  // 1.25: a rate of 800
  EXPECT_EQ(Takes(kCurve, Traffic("m1.json", "u1", "2e9")), 15016);  // 1.5: 666
  EXPECT_EQ(Takes(kCurve, Traffic("m1.json", "u1", "3e9")), 22523);  // 2.25: 444
  EXPECT_EQ(Takes(kCurve, Traffic("m1.json", "u1", "9e9")), 30031);  // 3: 333
}

TEST(Slowdowns, NeedTheTrafficOfThatModelOnThatUnit) {
  EXPECT_EQ(Takes(kCurve, ""), 10000);
  EXPECT_EQ(Takes(kCurve, Traffic("m2.json", "u1", "1e9") + ", " + Traffic("m1.json", "u2", "1e9")), 10000);
  EXPECT_EQ(Takes("", Traffic("m1.json", "u1", "1e9")), 10000);
}

TEST(Slowdowns, OfTheVeryModelsCountBeforeTheCurveAndTheCurveBeforeOthers) {
  const std::string traffic = Traffic("m1.json", "u1", "1e9");
  EXPECT_EQ(Takes(kCurve + ", " + Known("u1", "2", R"(, "beside_model": "m1.json")"), traffic), 20000);
  EXPECT_EQ(Takes(kCurve + ", " + Known("u1", "2", R"(, "beside_model": "m2.json")"), traffic), 12500);
  EXPECT_EQ(Takes(kCurve + ", " + Known("u1", "2", R"(, "model": "m0.json")"), traffic), 12500);
  EXPECT_EQ(Takes(kCurve + ", " + Known("u1", "2"), ""), 20000);
}

TEST(Slowdowns, ComeFromTheMostParticularCurveAndTraffic) {
  const std::string particular = Point("u1", "1e9", "2", R"(, "model": "m0.json")");
  EXPECT_EQ(Takes(kCurve + ", " + particular, Traffic("m1.json", "u1", "1e9")), 20000);
  EXPECT_EQ(Takes(kCurve + ", " + Point("u1", "1e9", "2", R"(, "model": "m2.json")"),
                  Traffic("m1.json", "u1", "1e9")),
            12500);
  const std::string both =
      Traffic("m1.json", "u1", "1e9", R"(, "layers": ["a"])") + ", " + Traffic("m1.json", "u1", "4e9");
  EXPECT_EQ(Takes(kCurve, both, "layer"), 12500);
  EXPECT_EQ(Takes(kCurve, both, "model"), 30031);
}

TEST(Slowdowns, OfSeveralNeighboursMultiplyAndTheirTrafficsAddUp) {
  const std::string other = ", " + Point("u2", "2e9", "2");
  const std::string traffic = Traffic("m1.json", "u1", "1e9") + ", " + Traffic("m2.json", "u2", "1e9");
  EXPECT_EQ(Takes(kCurve + other, traffic), 20000);  // at 2e9 the curves say 1.5 and 2
  EXPECT_EQ(Takes(kCurve + ", " + Known("u2", "2"), traffic), 25000);
  EXPECT_EQ(Takes(Known("u1", "1.25") + ", " + Known("u2", "2"), ""), 25000);
}

TEST(Slowdowns, OfTwoKnownTogetherCountInPlaceOfTheirOwn) {
  const std::string each = Known("u1", "1.25") + ", " + Known("u2", "2");
  const auto together = [](const std::string& units, const std::string& slowdown,
                           const std::string& more = "") {
    return R"({"unit": "u0", "beside": [)" + units + R"(], "slowdown": )" + slowdown + more + "}";
  };
  const std::string both = together(R"("u2", "u1")", "4");
  EXPECT_EQ(Takes(each, "", "model", both), 40000);
  EXPECT_EQ(Takes("", "", "model", both), 40000);
  EXPECT_EQ(Takes(each, "", "model", both + ", " + together(R"("u1", "u2")", "5", R"(, "model": "m0.json")")),
            50000);
  EXPECT_EQ(Takes(each, "", "model", together(R"("u1", "u2")", "4", R"(, "model": "m1.json")")), 25000);
}

TEST(Slowdowns, BelowOneMakeWorkFaster) {
  EXPECT_EQ(Takes(Known("u1", "0.5"), ""), 5000);
  EXPECT_EQ(Takes(Known("u1", "0.5") + ", " + Known("u2", "0.1"), ""), 1000);  // never beyond 10 times
  EXPECT_EQ(Takes(Known("u1", "0.5") + ", " + Known("u2", "4"), ""), 20000);
  EXPECT_EQ(Takes(Point("u1", "2e9", "0.5"), Traffic("m1.json", "u1", "1e9")), 7502);  // 1333 thousandths
}

// What each of so many tasks of 100 us takes that share u0.
std::int64_t Shared(int tasks, const std::string& sharing) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram", "slots": 8, "time_shared": true}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 100}], "sharing": [)" +
          sharing + "]",
      {kLayers},
      R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(tasks) +
          R"(, "arrival": {"type": "offline"}}])"};
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")");
  return outcome.streams[0].latencies.back().count();
}
std::string AtOnce(int tasks, const std::string& slowdown, const std::string& model = "") {
  return R"({"unit": "u0", )" + (model.empty() ? "" : R"("model": ")" + model + R"(", )") + R"("at_once": )" +
         std::to_string(tasks) + R"(, "slowdown": )" + slowdown + "}";
}

TEST(Sharing, IsFairWhereNobodyHasMeasuredIt) {
  EXPECT_EQ(Shared(1, ""), 100'000);
  EXPECT_EQ(Shared(2, ""), 200'000);
  EXPECT_EQ(Shared(4, ""), 400'000);
}

TEST(Sharing, CostsWhatWasMeasuredAndBetweenTwoPointsWhatLiesBetween) {
  const std::string measured = AtOnce(2, "2.5") + ", " + AtOnce(4, "5");
  EXPECT_EQ(Shared(1, measured), 100'000);
  EXPECT_EQ(Shared(2, measured), 250'000);
  EXPECT_EQ(Shared(4, measured), 500'000);
  EXPECT_EQ(Shared(3, measured), 375'940) << "3.75: a rate of 266";
  EXPECT_EQ(Shared(8, measured), 1'000'000) << "beyond the last point each has the same part";
}

TEST(Sharing, MayCostLessThanAFairPart) { EXPECT_EQ(Shared(2, AtOnce(2, "1.6")), 160'000); }

// What the last task of each of two models takes that share u0: some of 100 us, and one of 400 us.
std::vector<std::int64_t> SharedByTwo(int tasks, const std::string& sharing,
                                      const std::string& policy = R"("fcfs")") {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "gpu", "memory": "dram", "slots": 8, "time_shared": true}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 100},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 400}], "sharing": [)" +
          sharing + "]",
      {kLayers, kLayers},
      R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(tasks) +
          R"(, "arrival": {"type": "offline"}},
          {"name": "t", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"};
  const Outcome outcome = RunPolicy(json.Read(), policy);
  return {outcome.streams[0].latencies.back().count(), outcome.streams[1].latencies.back().count()};
}

TEST(Sharing, OfTwoModelsIsWhatWasMeasuredOfThePair) {
  using Both = std::vector<std::int64_t>;
  const std::string pair =
      R"({"unit": "u0", "model": "m0.json", "beside_model": "m1.json", "at_once": 2, "slowdown": 4})";
  EXPECT_EQ(SharedByTwo(1, ""), (Both{200'000, 500'000}));
  EXPECT_EQ(SharedByTwo(1, pair), (Both{400'000, 600'000})) << "the other one's part is fair";
  EXPECT_EQ(SharedByTwo(1, AtOnce(2, "2.5", "m0.json") + ", " + pair), (Both{400'000, 600'000}));
  EXPECT_EQ(Shared(2, pair), 200'000) << "beside its like it says nothing";
}

TEST(Sharing, OfSeveralOthersEachCountsForItsPart) {
  const std::string pair =
      R"({"unit": "u0", "model": "m0.json", "beside_model": "m1.json", "at_once": 2, "slowdown": 4})";
  EXPECT_EQ(SharedByTwo(2, pair)[0], 450'451) << "3 beside its like, 6 beside the other: 4.5, a rate of 222";
  EXPECT_EQ(SharedByTwo(2, AtOnce(2, "2.5") + ", " + AtOnce(3, "5") + ", " + pair)[0], 653'595)
      << "5 beside its like, 8 beside the other, as any takes twice as long among three: 6.5, a rate of 153";
  EXPECT_EQ(SharedByTwo(2, AtOnce(2, "2.5") + ", " + AtOnce(3, "2.5") + ", " + pair)[0], 425'532)
      << "2.5 beside its like, 6 beside the other: no less than in proportion, 4.25, a rate of 235";
}

TEST(Sharing, OfTheModelComesBeforeThatOfAny) {
  EXPECT_EQ(Shared(2, AtOnce(2, "4") + ", " + AtOnce(2, "2.5", "m0.json")), 250'000);
}

TEST(Sharing, OfProgramsCountsWhereNobodyManages) {
  using Both = std::vector<std::int64_t>;
  const std::string threads = R"({"unit": "u0", "at_once": 2, "slowdown": 2.5})",
                    programs = R"({"unit": "u0", "at_once": 2, "slowdown": 5, "apart": true})",
                    both = threads + ", " + programs,
                    pair = R"(, {"unit": "u0", "model": "m0.json", "beside_model": "m1.json", "at_once": 2,
                                 "slowdown": 4, "apart": true})";
  const std::string nobody = R"("unmanaged")";
  EXPECT_EQ(SharedByTwo(1, both), (Both{250'000, 550'000}));
  EXPECT_EQ(SharedByTwo(1, both, nobody), (Both{500'000, 800'000}));
  EXPECT_EQ(SharedByTwo(1, both + pair, nobody), (Both{400'000, 720'000}));
  EXPECT_EQ(SharedByTwo(1, both + pair), (Both{400'000, 640'000})) << "nothing else is known of the pair";
  EXPECT_EQ(SharedByTwo(1, programs), (Both{500'000, 800'000})) << "nothing is known of threads";
  EXPECT_EQ(SharedByTwo(1, threads, nobody), (Both{250'000, 550'000})) << "nor of programs";
}

}  // namespace
}  // namespace tandem
