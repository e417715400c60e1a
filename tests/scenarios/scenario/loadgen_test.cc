// Are LoadGen's scenarios turned into the arrivals and limits that its rules and published configuration say?
#include <gtest/gtest.h>

#include "scenarios/arrivals/arrivals.h"
#include "tests/support/read_scenario.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Stream ReadArrivalOf(const std::string& arrival, const std::string& model = "mobilenet_v2",
                     const std::string& rules = R"("rules": "loadgen", )") {
  return ReadMini(rules + R"("streams": [{"name": "q", "model": ")" + model + R"(", "arrival": )" + arrival +
                  "}]")
      .streams.at(0);
}

TEST(Loadgen, SingleStreamIsOneQueryAfterTheOther) {
  const Stream stream = ReadArrivalOf(R"({"type": "single_stream"})");
  EXPECT_EQ(std::get<ClosedArrival>(stream.arrival).in_flight, 1);
  EXPECT_EQ(stream.until.count, 1024);
  EXPECT_EQ(stream.until.duration, seconds{600});
  EXPECT_EQ(stream.loadgen->percentile, 9000);
  EXPECT_FALSE(stream.deadline);
}

TEST(Loadgen, MultiStreamHasEightSamplesAQuery) {
  const Stream stream = ReadArrivalOf(R"({"type": "multi_stream"})");
  EXPECT_EQ(std::get<ClosedArrival>(stream.arrival).per_query, 8);
  EXPECT_EQ(stream.until.count, 270336);
  EXPECT_EQ(stream.loadgen->percentile, 9900);
  const Stream four = ReadArrivalOf(R"({"type": "multi_stream", "samples_per_query": 4})");
  EXPECT_EQ(std::get<ClosedArrival>(four.arrival).per_query, 4);
}

TEST(Loadgen, ServerIsPoissonWithinTheModelsLatencyBound) {
  const Stream stream = ReadArrivalOf(R"({"type": "server", "target_qps": 50})");
  EXPECT_EQ(std::get<PoissonArrival>(stream.arrival).rate_per_s, 50);
  EXPECT_EQ(stream.deadline, milliseconds{10});
  EXPECT_EQ(stream.until.count, 270336);
  EXPECT_EQ(stream.until.duration, seconds{600});
  EXPECT_EQ(ReadArrivalOf(R"({"type": "server"})", "resnet50").deadline, milliseconds{15});
  EXPECT_EQ(ReadArrivalOf(R"({"type": "server", "target_latency_us": 2000})").deadline, milliseconds{2});
}

TEST(Loadgen, OfflineHasTenPercentMoreSamplesThanTheRateNeeds) {
  EXPECT_EQ(ReadArrivalOf(R"({"type": "offline"})").until.count, 24576);
  const Stream fast = ReadArrivalOf(R"({"type": "offline", "target_qps": 1000})");
  EXPECT_EQ(fast.until.count, 660000);
  EXPECT_EQ(fast.until.duration, Nanos{0});
  EXPECT_TRUE(IsOpen(fast));
}

TEST(Loadgen, LimitsCanBeStated) {
  const Stream stream = ReadArrivalOf(
      R"({"type": "single_stream", "min_query_count": 6636, "min_duration_ms": 0, "percentile": 99.9})");
  EXPECT_EQ(stream.until.count, 6636);
  EXPECT_EQ(stream.until.duration, Nanos{0});
  EXPECT_EQ(stream.loadgen->percentile, 9990);
}

TEST(Loadgen, RulesOfOneArrivalDoNotReachTheOthers) {
  const Stream one = ReadArrivalOf(R"({"type": "server", "rules": "loadgen"})", "mobilenet_v2", "");
  EXPECT_TRUE(one.loadgen);
  const Scenario scenario = ReadMini(R"("streams": [
      {"name": "q", "model": "mobilenet_v2", "arrival": {"type": "offline", "rules": "loadgen"}},
      {"name": "r", "model": "mobilenet_v2", "count": 2, "arrival": {"type": "offline"}}])");
  EXPECT_EQ(scenario.streams[0].until.count, 24576);
  EXPECT_EQ(scenario.streams[1].until.count, 2);
  EXPECT_FALSE(scenario.streams[1].loadgen);
}

TEST(Loadgen, OtherArrivalsMayStandBesideLoadgens) {
  const Stream stream = ReadMini(R"("rules": "loadgen", "streams": [
      {"name": "q", "model": "mobilenet_v2", "count": 2, "arrival": {"type": "periodic", "fps": 30}}])")
                            .streams.at(0);
  EXPECT_FALSE(stream.loadgen);
}

}  // namespace
}  // namespace tandem
