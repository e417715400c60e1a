// How old do results become before newer ones replace them, where requests are left out?
#include "policies/engine/ages.h"

#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using Durations = std::vector<Nanos>;

// One unit, which takes `work_us` for a request.
Outcome RunFrames(int work_us, const std::string& streams) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "npu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": )" +
          std::to_string(work_us) + "}]",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [)" + streams + "]"};
  return RunPolicy(json.Read(), R"("fcfs")");
}

std::string Frames(int count, const std::string& more) {
  return R"({"name": "frames", "model": "m0.json", "count": )" + std::to_string(count) +
         R"(, "arrival": {"type": "periodic", "period_us": 4})" + more + "}";
}

TEST(Ages, AreThoseOfTheNewestResultJustBeforeTheNextOne) {
  const Outcome outcome = RunFrames(10, Frames(6, R"(, "keep_latest": 1)"));
  // 0 runs until 10, 2, which is of 8, until 20, and 5, which is of 20, until 30.
  EXPECT_EQ(outcome.streams[0].ages, (Durations{microseconds{10}, microseconds{20}, microseconds{22}}));
  EXPECT_EQ(outcome.streams[0].drop_ages, Durations(3, microseconds{4}));
}

TEST(Ages, GrowUntilTheLastRequestIsDropped) {
  const char* other = R"({"name": "other", "model": "m0.json", "count": 1,
                          "arrival": {"type": "periodic", "period_us": 100, "phase_us": 1}})";
  const Outcome outcome =
      RunFrames(10, Frames(3, R"(, "deadline_us": 9, "drop_late": true)") + ", " + std::string(other));
  // 0 runs until 10, the other one until 20: 1 is dropped at 13, 2 at 17.
  EXPECT_EQ(outcome.streams[0].ages, (Durations{microseconds{10}, microseconds{17}}));
  EXPECT_EQ(outcome.streams[0].drop_ages, Durations(2, microseconds{9}));
  EXPECT_TRUE(outcome.streams[1].ages.empty());
}

TEST(Ages, OfWhatIsDroppedBeforeANewerResultDoNotCount) {
  const Outcome outcome = RunFrames(10, Frames(3, R"(, "deadline_us": 9, "drop_late": true)"));
  // 0 runs until 10, 1 from then on, 2 is dropped at 17, and 1, which is of 4, is there at 20.
  EXPECT_EQ(outcome.streams[0].ages, (Durations{microseconds{10}, microseconds{20}}));
}

TEST(Ages, OfEveryNthFrameCountFromTheFrame) {
  const std::string seen =
      R"({"name": "seen", "model": "m0.json", "depends_on": {"stream": "frames", "every": 2}})";
  const Outcome outcome = RunFrames(2, Frames(5, "") + ", " + seen);
  // Frames 0, 2 and 4, of 0, 8 and 16, are followed from 2, 10 and 18 on.
  EXPECT_EQ(outcome.streams[1].ages, (Durations{microseconds{2}, microseconds{12}, microseconds{12}}));
  EXPECT_TRUE(outcome.streams[0].ages.empty()) << "none of its frames is left out";
}

// Results are there at 2, 6 and 10, of frames of 0, 4 and 8: the first counts from the first release.
TEST(Ages, WhereNothingDropsAreToldToWhoAsks) {
  const Outcome outcome = RunFrames(2, Frames(3, R"(, "age": true)"));
  EXPECT_EQ(outcome.streams[0].ages, (Durations{microseconds{2}, microseconds{6}, microseconds{6}}));
  EXPECT_TRUE(outcome.streams[0].drop_ages.empty());
  EXPECT_TRUE(RunFrames(2, Frames(3, "")).streams[0].ages.empty()) << "nobody asks";
}

TEST(Ages, OfWhatFollowsAStreamThatDropsAreToldToo) {
  const std::string seen = R"({"name": "seen", "model": "m0.json", "depends_on": {"stream": "frames"}})";
  const Outcome outcome = RunFrames(3, Frames(4, R"(, "keep_latest": 1)") + ", " + seen);
  EXPECT_EQ(outcome.streams[1].ages.size(), outcome.streams[1].latencies.size());
  EXPECT_FALSE(outcome.streams[1].ages.empty());
  EXPECT_TRUE(outcome.streams[1].drop_ages.empty());
}

}  // namespace
}  // namespace tandem
