// Do as many requests follow one as is likely, and does one that follows several wait for all of them?
#include <gtest/gtest.h>

#include "policies/kinds/make_plan.h"
#include "profiles/base/input_error.h"
#include "scenarios/arrivals/arrivals.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

const std::string kSmallModel =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

// Frames of 10 us each 100 us; faces of 20 us and a track of 5 us hang on them as the arguments say. Two
// units.
Scenario Faces(const std::string& faces, const std::string& track, int frames = 2,
               const std::string& more = "") {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                   {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 20},
                     {"model": "m1.json", "unit": "u1", "layers": "*", "median_us": 20},
                     {"model": "m2.json", "unit": "u0", "layers": "*", "median_us": 5}])",
      {kSmallModel, kSmallModel, kSmallModel},
      R"("streams": [{"name": "track", "model": "m2.json", "depends_on": {"stream": "camera")" + track +
          R"(}},
                     {"name": "camera", "model": "m0.json", "count": )" +
          std::to_string(frames) + R"(, "arrival": {"type": "periodic", "period_us": 100}},
                     {"name": "faces", "model": "m1.json", "depends_on": {"stream": "camera")" +
          faces + "}" + more + R"(}])"};
  return json.Read();
}

std::vector<std::string> NamesOf(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Stream& stream : scenario.streams) names.push_back(stream.name);
  return names;
}

const Stream& StreamNamed(const Scenario& scenario, const std::string& name) {
  for (const Stream& stream : scenario.streams) {
    if (stream.name == name) return stream;
  }
  throw InputError("no stream " + name);
}

TEST(FanOut, AStreamBecomesAsManyAsMayFollow) {
  EXPECT_EQ(NamesOf(Faces(R"(, "times": [0, 0, 0, 1])", "")),
            (std::vector<std::string>{"track", "camera", "faces_1", "faces_2", "faces_3"}));
  EXPECT_EQ(NamesOf(Faces(R"(, "times": [1, 3])", "")),
            (std::vector<std::string>{"track", "camera", "faces"}));
  EXPECT_EQ(NamesOf(Faces("", "")), (std::vector<std::string>{"track", "camera", "faces"}));
}

TEST(FanOut, AsManyFollowAsIsLikely) {
  constexpr std::int64_t kFrames = 20000;
  const Scenario scenario = Faces(R"(, "times": [2, 5, 3])", "", kFrames);
  DependencyDraws first(StreamNamed(scenario, "faces_1"), scenario.seed),
      second(StreamNamed(scenario, "faces_2"), scenario.seed);
  std::int64_t one = 0, two = 0;
  for (std::int64_t k = 0; k < kFrames; ++k) {
    one += first.Exists(k) ? 1 : 0;
    two += second.Exists(k) ? 1 : 0;
    EXPECT_TRUE(first.Exists(k) || !second.Exists(k)) << "a second without a first: " << k;
  }
  EXPECT_NEAR(static_cast<double>(one) / kFrames, 0.8, 0.02);
  EXPECT_NEAR(static_cast<double>(two) / kFrames, 0.3, 0.02);
}

TEST(FanOut, WhatHangsOnThemFollowsEach) {
  const Scenario scenario = Faces(
      R"(, "times": [0, 0, 1])", R"(, "every": 1)", 2,
      R"(}, {"name": "names", "model": "m2.json", "depends_on": {"stream": "faces", "times": [0, 0, 1]})");
  EXPECT_EQ(NamesOf(scenario), (std::vector<std::string>{"track", "camera", "faces_1", "names_1", "faces_2",
                                                         "names_2", "names_3", "names_4"}));
  const auto parent = [&](const std::string& name) {
    return scenario.streams[std::get<DependentArrival>(StreamNamed(scenario, name).arrival).parent.index()]
        .name;
  };
  EXPECT_EQ(parent("names_1"), "faces_1");
  EXPECT_EQ(parent("names_2"), "faces_1");
  EXPECT_EQ(parent("names_3"), "faces_2");
  EXPECT_EQ(parent("names_4"), "faces_2");
}

// A frame of 10 us; a face of 20 us on u0 and a name of 50 us on u1 follow it, and a track of 5 us as said.
Scenario TwoSides(const std::string& track) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                   {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 20},
                     {"model": "m2.json", "unit": "u1", "layers": "*", "median_us": 50},
                     {"model": "m3.json", "unit": "u0", "layers": "*", "median_us": 5}])",
      {kSmallModel, kSmallModel, kSmallModel, kSmallModel},
      R"("streams": [{"name": "camera", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
                     {"name": "faces", "model": "m1.json", "depends_on": {"stream": "camera"}},
                     {"name": "names", "model": "m2.json", "depends_on": {"stream": "camera"}},
                     {"name": "track", "model": "m3.json", "depends_on": {)" +
          track + "}}]"};
  return json.Read();
}

// Frames of 10 us each 100 us and scans of 20 us as said, each on a unit of its own; a track of 5 us follows
// the frame.
Scenario CameraAndLidar(const std::string& lidar, const std::string& joins = R"(, "joins": ["lidar"])") {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                   {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u1", "layers": "*", "median_us": 20},
                     {"model": "m2.json", "unit": "u0", "layers": "*", "median_us": 5}])",
      {kSmallModel, kSmallModel, kSmallModel},
      R"("streams": [{"name": "camera", "model": "m0.json", "count": 2, "arrival": {"type": "periodic", "period_us": 100}},
                     {"name": "lidar", "model": "m1.json", )" +
          lidar + R"(},
                     {"name": "track", "model": "m2.json", "depends_on": {"stream": "camera")" +
          joins + "}}]"};
  return json.Read();
}

TEST(Join, ItWaitsForAllThatFollow) {
  const std::vector<std::string> spans =
      SpansOf(Faces(R"(, "times": [0, 0, 0, 1])", R"(, "joins": ["faces"])", 1));
  // The frame until 10; two faces until 30, the third until 50; then the track.
  ASSERT_EQ(spans.size(), 5U);
  EXPECT_EQ(spans[4].substr(0, 14), "u0 compute #0 ");
  EXPECT_EQ(spans[4].substr(14), "50000-55000");
}

TEST(Join, WhereNothingFollowsItDoesNotWait) {
  EXPECT_EQ(SpansOf(Faces(R"(, "times": [1, 0])", R"(, "joins": ["faces"])", 1)),
            (std::vector<std::string>{"u0 compute #0 0-10000", "u0 compute #0 10000-15000"}));
}

TEST(Join, ItWaitsForSeveralStreams) {
  const Scenario scenario =
      Faces("", R"(, "joins": ["names", "faces"])", 1,
            R"(}, {"name": "names", "model": "m1.json", "depends_on": {"stream": "camera"})");
  // The frame until 10, then a face and a name side by side until 30.
  const std::vector<std::string> spans = SpansOf(scenario);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[3].substr(14), "30000-35000");
}

TEST(Join, ItDoesNotWaitForWhatWasDropped) {
  // Both units are busy with two faces until 30 us; the third is dropped at its deadline, 15 us after it
  // came.
  const Scenario scenario = Faces(R"(, "times": [0, 0, 0, 1])", R"(, "joins": ["faces"])", 1,
                                  R"(, "deadline_us": 15, "drop_late": true)");
  const std::vector<std::string> spans = SpansOf(scenario);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[3].substr(14), "30000-35000");
}

TEST(Join, LatencyFromEndToEndCountsFromTheFrame) {
  const Scenario scenario = Faces(R"(, "times": [0, 0, 0, 1])", R"(, "joins": ["faces"])", 1);
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_EQ(outcome.streams[0].latencies.front(), Nanos{5000}) << "track";
  EXPECT_EQ(outcome.streams[0].end_to_end.front(), Nanos{55000});
  EXPECT_TRUE(outcome.streams[1].end_to_end.empty()) << "the frame hangs on nothing";
}

TEST(Join, ADeadlineFromEndToEndCountsFromTheFrame) {
  const auto missed = [](const std::string& deadline) {
    const Scenario scenario =
        Faces("", R"(, "joins": ["faces"])", 2, R"(, "end_to_end_deadline_us": )" + deadline);
    return RunPolicy(scenario, R"("fcfs")").streams[2].missed;
  };
  EXPECT_EQ(missed("30"), 0) << "a frame of 10 us, then a face of 20";
  EXPECT_EQ(missed("29.999"), 2);
  const auto error = ErrorOf([] {
    Faces("", "", 1, R"(}, {"name": "more", "model": "m0.json", "count": 1, "arrival":
      {"type": "offline"}, "end_to_end_deadline_us": 5)");
  });
  EXPECT_NE(error.find("/streams/3: a deadline from end to end is of requests that follow others"),
            std::string::npos)
      << error;
}

TEST(Join, TheJudgeOfTracesKnowsIt) {
  const Scenario joined = Faces(R"(, "times": [1, 2, 3, 4])", R"(, "joins": ["faces"])", 40),
                 apart = Faces(R"(, "times": [1, 2, 3, 4])", "", 40);
  const PolicySpec spec = PolicyByName("fcfs", joined, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, joined));
  EXPECT_TRUE(JudgeRun(made, spec, joined, joined).violations.empty());
  const Prepared again = MakePolicy(spec, ProblemFor(spec, joined));
  EXPECT_FALSE(JudgeRun(again, spec, joined, apart).violations.empty());
}

TEST(Join, WhatCannotBeIsToldWhereItStands) {
  const auto error = [](const std::string& faces, const std::string& track) {
    return ErrorOf([&] { Faces(faces, track); });
  };
  EXPECT_NE(error("", R"(, "joins": ["camera"])")
                .find("/streams/0/depends_on/joins: it follows \"camera\", and by then the request of stream "
                      "\"camera\" has ended"),
            std::string::npos)
      << error("", R"(, "joins": ["camera"])");
  EXPECT_NE(error(R"(, "joins": ["track"])", R"(, "joins": ["faces"])")
                .find("the streams wait for each other in a circle"),
            std::string::npos);
  EXPECT_NE(error(R"(, "times": [0, 0])", "")
                .find("/streams/2/depends_on/times: some number of requests has to be likely"),
            std::string::npos);
  EXPECT_NE(error(R"(, "times": [1], "probability": 1)", "")
                .find("/streams/2/depends_on/probability: \"times\" say"),
            std::string::npos);
  EXPECT_NE(error("", R"(, "joins": ["track"])").find("stream \"track\" cannot wait for itself"),
            std::string::npos);
  EXPECT_NE(error("", R"(, "joins": ["faces", "faces"])").find("the stream \"faces\" is there twice"),
            std::string::npos);
  EXPECT_NE(error("", R"(, "joins": ["fases"])").find("did you mean \"faces\"?"), std::string::npos);
}

// The track follows the faces and waits for what follows the camera beside them: they have no stream in
// common but the one on which both hang.
TEST(Join, ItWaitsForWhatHangsOnAnotherStream) {
  const Scenario scenario = TwoSides(R"("stream": "faces", "joins": ["names"])");
  // The frame until 10, a face on u0 until 30, a name on u1 until 60; then the track.
  EXPECT_EQ(SpansOf(scenario).back().substr(14), "60000-65000");
  const std::string without = SpansOf(TwoSides(R"("stream": "faces")")).back();
  EXPECT_NE(without.substr(14), "60000-65000");
}

TEST(Join, OfStreamsThatComeByThemselvesRequestsOfOneIndexBelongTogether) {
  // Frames at 0 and 100, scans at 40 and 140: the track of each 70 us behind the frame, when the scan has
  // ended.
  const Scenario scenario = CameraAndLidar(R"("count": 2, "arrival": {"type": "periodic", "period_us": 100,
    "phase_us": 40})");
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_EQ(outcome.streams[2].released, 2);
  EXPECT_EQ(outcome.streams[2].end_to_end, (std::vector<Nanos>{Nanos{65000}, Nanos{65000}}))
      << "from the release of the frame: it is the one that \"stream\" names";
}

TEST(Join, NobodyWaitsForWhatWillNotCome) {
  // There is one scan; the second track follows its frame, which ends at 110, alone.
  const Scenario scenario = CameraAndLidar(R"("count": 1, "arrival": {"type": "periodic", "period_us": 100,
    "phase_us": 40})");
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_EQ(outcome.streams[2].end_to_end, (std::vector<Nanos>{Nanos{65000}, Nanos{15000}}));
}

TEST(Join, TheJudgeKnowsWhatComesByItself) {
  const std::string arrival =
      R"("count": 20, "arrival": {"type": "periodic", "period_us": 100, "phase_us": 40})";
  const Scenario joined = CameraAndLidar(arrival), alone = CameraAndLidar(arrival, "");
  const PolicySpec spec = PolicyByName("fcfs", joined, "test");
  EXPECT_TRUE(JudgeRun(MakePolicy(spec, ProblemFor(spec, joined)), spec, joined, joined).violations.empty());
  EXPECT_FALSE(JudgeRun(MakePolicy(spec, ProblemFor(spec, joined)), spec, joined, alone).violations.empty());
}

TEST(Join, WhatDoesNotBelongTogetherIsRefused) {
  const auto error = [](const std::string& lidar) { return ErrorOf([&] { CameraAndLidar(lidar); }); };
  const std::string faster = error(R"("count": 2, "arrival": {"type": "periodic", "period_us": 50})");
  EXPECT_NE(faster.find("/streams/2/depends_on/joins: streams \"camera\" and \"lidar\" come by themselves"),
            std::string::npos)
      << faster;
  EXPECT_NE(faster.find("their periods differ"), std::string::npos) << faster;
  const std::string closed = error(R"("count": 2, "arrival": {"type": "closed"})");
  EXPECT_NE(closed.find("those of \"lidar\" are closed"), std::string::npos) << closed;
  EXPECT_EQ(error(R"("count": 2, "arrival": {"type": "poisson", "rate_per_s": 50})"), "no error");
}

}  // namespace
}  // namespace tandem
