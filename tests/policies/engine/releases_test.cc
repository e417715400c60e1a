// Is what joins others forgotten when it can come no more? Services release requests for weeks. And does a
// run end whose requests follow each other without end?
#include "policies/engine/releases.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"
#include "tests/support/variable.h"

namespace tandem {
namespace {

const std::string kSmallest =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
constexpr StreamId kCamera(0), kOther(1), kMaybe(2), kTrack(3), kNote(4);

// Frames, with another stage and perhaps one more each; a track where there is that one, and a note of it.
Scenario MaybeATrack(const std::string& maybe) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}])",
      {kSmallest},
      R"("streams": [{"name": "camera", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}},
                     {"name": "other", "model": "m0.json", "depends_on": {"stream": "camera"}},
                     {"name": "maybe", "model": "m0.json", "depends_on": {"stream": "camera")" +
          maybe + R"(}},
                     {"name": "track", "model": "m0.json", "depends_on": {"stream": "maybe", "joins": ["other"]}},
                     {"name": "note", "model": "m0.json", "depends_on": {"stream": "track", "joins": ["other"]}}])"};
  return json.Read();
}

struct AllCompletes final : Followers {
  bool Completes(StreamId, std::int64_t) override { return true; }
  void Released(StreamId stream, std::int64_t) override { ++released[stream.index()]; }
  void LeftOut(StreamId stream, std::int64_t) override { ++left_out[stream.index()]; }
  void Followed(StreamId, std::int64_t) override {}
  std::vector<int> released = std::vector<int>(5), left_out = std::vector<int>(5);
};

class JoinsOfAService : public testing::Test {
 protected:
  explicit JoinsOfAService(const std::string& maybe = R"(, "probability": 0.5)")
      : scenario(MaybeATrack(maybe)), releases(scenario, true, &told) {}

  std::int64_t Submit() {
    const std::int64_t index = releases.Submit(kCamera, Nanos{0});
    EXPECT_EQ(releases.Take(Nanos{0}).stream, kCamera);
    return index;
  }
  // All that there is, and what follows it, in order.
  void EndAll() {
    while (releases.HasFresh()) {
      const Task task = releases.Take(Nanos{0});
      releases.Ended(task.stream, task.index, true, Nanos{0});
    }
  }

  Scenario scenario;
  AllCompletes told;
  Releases releases;
};

class JoinsOfEachFrame : public JoinsOfAService {
 protected:
  JoinsOfEachFrame() : JoinsOfAService("") {}
};

TEST_F(JoinsOfAService, NothingIsKeptOfThoseWhoseParentNeverComes) {
  for (int k = 0; k < 1000; ++k) {
    releases.Ended(kCamera, Submit(), true, Nanos{0});
    EndAll();
    ASSERT_EQ(releases.JoinsKept(), 0U) << k;
  }
  const int maybe = told.released[kMaybe.index()];
  EXPECT_NEAR(maybe, 500, 100);
  for (const StreamId join : {kTrack, kNote}) {
    EXPECT_EQ(told.released[join.index()], maybe);
    EXPECT_EQ(told.left_out[join.index()], 1000 - maybe);
  }
}

TEST_F(JoinsOfAService, NorWhereTheFrameWasDropped) {
  for (int k = 0; k < 10; ++k) {
    releases.Ended(kCamera, Submit(), false, Nanos{0});
    EXPECT_FALSE(releases.HasFresh());
    EXPECT_EQ(releases.JoinsKept(), 0U) << k;
  }
  EXPECT_EQ(told.left_out, (std::vector<int>{0, 0, 0, 10, 10}));
}

TEST_F(JoinsOfEachFrame, NorWhereTheParentWasDroppedBeforeTheOthersEnd) {
  releases.Ended(kCamera, Submit(), true, Nanos{0});
  EXPECT_EQ(releases.Take(Nanos{0}).stream, kOther);
  EXPECT_EQ(releases.Take(Nanos{0}).stream, kMaybe);
  releases.Ended(kMaybe, 0, false, Nanos{0});
  releases.Ended(kOther, 0, true, Nanos{0});
  EXPECT_FALSE(releases.HasFresh());
  EXPECT_EQ(releases.JoinsKept(), 0U);
  EXPECT_EQ(told.left_out, (std::vector<int>{0, 0, 0, 1, 1}));
}

TEST_F(JoinsOfEachFrame, FramesMayEndInAnyOrder) {
  for (int k = 0; k < 3; ++k) EXPECT_EQ(Submit(), k);
  releases.Ended(kCamera, 2, true, Nanos{0});
  EndAll();
  releases.Ended(kCamera, 1, false, Nanos{0});
  EXPECT_EQ(releases.JoinsKept(), 4U) << "a track and a note of two frames, behind one that is still to end";
  releases.Ended(kCamera, 0, true, Nanos{0});
  EndAll();
  EXPECT_EQ(releases.JoinsKept(), 0U);
  EXPECT_EQ(told.released, (std::vector<int>{0, 2, 2, 2, 2}));
}

TEST(RequestsOfAClosedStream, AreRefusedWhenThereAreMoreThanMemoryIsMeantFor) {
  SmallScenario small({1});
  const ModelId model = small.AddModel({{10}});
  small.AddStream(model, 0, ClosedArrival{}).until.duration = Nanos{1'000'000};
  const Scenario scenario = small.Build();
  const Variable most("TANDEM_MOST_REQUESTS", "100");
  Releases releases(scenario);
  int ended = 0;
  const std::string refused = ErrorOf([&] {
    for (; ended < 200; ++ended) {
      const Task task = releases.Take(Nanos{ended});
      releases.Ended(task.stream, task.index, true, Nanos{ended});
    }
  });
  EXPECT_EQ(ended, 99) << "the first came with the 99 others";
  EXPECT_NE(
      refused.find("/streams/0: the stream does not end: more than 100 requests have come after others"),
      std::string::npos)
      << refused;
}

}  // namespace
}  // namespace tandem
