// Do all commands name the same winner of a scenario, where times are skewed and where they are estimated?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// 40 times of one run.
std::string FortyTimes(const std::string& usual, const std::string& every_fifth) {
  std::string times = "[";
  for (int i = 0; i < 40; ++i) times += (i == 0 ? "" : ", ") + (i % 5 == 4 ? every_fifth : usual);
  return times + "]";
}

class OneWinner : public testing::Test {
 protected:
  // Two policies, each on a unit of its own. `quick` and `steady`: keys of their entries; `origin` goes on.
  void Write(const std::string& quick, const std::string& steady, const std::string& origin,
             const std::string& limits = "") {
    const auto entry = [](const std::string& unit, const std::string& time) {
      return R"({"model": "alexnet", "unit": ")" + unit + R"(", "layers": "*", )" + time + "}";
    };
    WriteFile(scenario_, R"({"tandem": "scenario/1", "name": "two", "transfer": "none",
      "platform": {"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}, {"name": "n"}],
        "units": [{"name": "x", "kind": "cpu", "memory": "m"}, {"name": "y", "kind": "gpu", "memory": "n"}]},
      "profiles": [{"tandem": "profile/1", "platform": "b", "origin": {)" +
                             origin + R"(}, "entries": [)" + entry("x", quick) + ", " + entry("y", steady) +
                             R"(]}],
      "streams": [{"name": "s", "model": "alexnet", "count": 20, "arrival": {"type": "offline"}}],
      "policies": [{"name": "single", "unit": "x", "label": "quick"},
                   {"name": "single", "unit": "y", "label": "steady"}])" +
                             limits + "}");
  }
  // At their medians 20 requests take 180 and 200 ms. Every fifth run of the quick one takes 29 ms: 13 in the
  // mean, 260 ms in all.
  void WriteSkewed(const std::string& limits = "") {
    Write(
        R"("samples_us": )" + FortyTimes("9000", "29000"), R"("samples_us": )" + FortyTimes("9999", "10001"),
        R"("kind": "measured", "host": "h", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {},
             "cache_mode": "warm", "error": 0.01)",
        limits);
  }
  Json Swept(const std::string& more) {
    WriteFile(spec_, R"({"tandem": "sweep/1", "name": "counts", "scenario": "./two.scenario.json",
      "axes": [{"name": "n", "pointers": ["/streams/0/count"], "values": [20, 40]}])" +
                         more + "}");
    const ProgramResult result = RunTandem("sweep " + spec_ + " --json -o " + (folder_ / "rows").string());
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output)["winners"][0];
  }
  Json Says(const std::string& command) {
    const ProgramResult result = RunTandem(command + " --json");
    EXPECT_LE(result.status, 1) << command << ": " << result.errors;
    return Json::parse(result.output);
  }

  TempFolder folder_;
  const std::string scenario_ = (folder_ / "two.scenario.json").string();
  const std::string spec_ = (folder_ / "counts.sweep.json").string();
};

TEST_F(OneWinner, OfSkewedTimesIsThatOfTheDraws) {
  WriteSkewed();
  EXPECT_EQ(Says("plan " + scenario_ + " --engine virtual")["winner"], "steady");

  const Json drawn = Swept(R"(, "interval": 90)");
  EXPECT_EQ(drawn["reigns"][0]["policy"], "steady") << drawn;
  EXPECT_EQ(drawn["reigns"][0]["told"], 2) << drawn;
  EXPECT_GT(drawn["reigns"][0]["probability"], 0.9) << drawn;
  const Json runs =
      Swept("");  // 11 % apart, and the mean of the quick one's samples is 44 % off their median
  EXPECT_EQ(runs["reigns"][0]["told"], 0) << runs;
  EXPECT_EQ(runs["says"], "n: quick leads everywhere (cannot be told)");

  const std::string baseline = (folder_ / "b.baseline.json").string();
  ASSERT_EQ(RunTandem("new baseline " + scenario_ + " -o " + baseline).status, 0);
  const Json kept = Json::parse(ReadTextFile(baseline))["cases"][0];
  EXPECT_EQ(kept["figures"]["winner"]["value"], "steady");
  EXPECT_EQ(kept["figures"]["makespan_ns"]["value"], 180'000'000) << "figures are of runs";
  EXPECT_EQ(RunTandem("regress " + baseline).status, 0);

  const std::string trace = (folder_ / "t.json").string();
  ASSERT_EQ(RunTandem("simulate " + scenario_ + " --trace " + trace).status, 0);
  EXPECT_EQ(Json::parse(ReadTextFile(trace))["winner"],
            Json({{"policy", "steady"}, {"objective", "makespan"}}));
  EXPECT_EQ(Says("compare " + trace + " " + trace)["winner"]["predicted"], "steady");
  EXPECT_EQ(Says("compare " + trace + " " + trace + " --objective mean_latency")["winner"]["predicted"],
            "steady")
      << "the trace names nobody by that, and its draws have mean latencies";
}

TEST_F(OneWinner, OfATraceIsJudgedByWhatTheDrawsSay) {
  WriteSkewed();
  const std::string trace = (folder_ / "t.json").string();
  const Json reports = Says("simulate " + scenario_ + " --engine virtual --trace " + trace);
  const Json compared = Says("compare " + trace + " " + trace),
             surer = Says("compare " + trace + " " + trace + " --interval 80");
  for (std::size_t p = 0; p < 2; ++p) {
    const Json &report = reports[p], &policy = compared["policies"][p];
    EXPECT_EQ(policy["predicted_ns"], report["makespan_median_ns"]) << policy;
    EXPECT_NE(policy["predicted_ns"], report["makespan_ns"]) << "of the run of medians";
    EXPECT_EQ(policy["predicted_interval_ns"], report["makespan_interval_ns"]) << policy;
    EXPECT_EQ(compared["winner"]["probability"][policy["label"]], report["win_probability"]);
    for (const char* figure : {"mean", "p99"}) {
      EXPECT_EQ(compared["percentiles"][p][figure]["predicted_ns"], report["latency_median_ns"][figure]);
      EXPECT_EQ(compared["percentiles"][p][figure]["predicted_interval_ns"],
                report["latency_interval_ns"][figure]);
    }
    EXPECT_EQ(surer["policies"][p]["interval_why"], "the predicted trace has those of 90 %");
  }
}

TEST_F(OneWinner, OfEstimatesIsNotToldInsideTheirError) {
  // 5 % apart, with an error of 30 %, and with none that anybody knows.
  const std::string origin = R"("kind": "estimated", "method": "roofline")";
  for (const char* error : {R"(, "error": 0.3)", ""}) {
    Write(R"("median_us": 9500)", R"("median_us": 10000)", origin + error);
    for (const char* interval : {"", R"(, "interval": 90)"}) {
      const Json winners = Swept(interval);
      EXPECT_EQ(winners["reigns"][0]["told"], 0) << error << interval << winners;
    }
  }
  Write(R"("median_us": 9500)", R"("median_us": 10000)", origin + R"(, "error": 0.01)");
  EXPECT_EQ(Swept("")["says"], "n: quick wins everywhere");
}

TEST_F(OneWinner, IsNobodyWhoKeepsALimitInItsRunOfMediansAlone) {
  WriteSkewed(R"(, "limits": ["makespan <= 210 ms"])");
  const Json reports = Says("simulate " + scenario_ + " --engine virtual");
  EXPECT_EQ(reports[0]["limits"][0]["value"], 180'000'000);
  EXPECT_FALSE(reports[0]["limits"][0]["kept"]) << reports[0]["limits"];
  EXPECT_TRUE(reports[1]["limits"][0]["kept"]) << reports[1]["limits"];
  EXPECT_EQ(Says("plan " + scenario_ + " --engine virtual")["winner"], "steady");
  EXPECT_EQ(Swept(R"(, "interval": 90)")["reigns"][0]["policy"], "steady");
}

}  // namespace
}  // namespace tandem
