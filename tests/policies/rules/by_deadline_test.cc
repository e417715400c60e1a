// Do edf and lst go by what is due from end to end, also for the requests on which that hangs?
#include <gtest/gtest.h>

#include "policies/kinds/by_deadline.h"
#include "policies/kinds/longest_chains.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

const std::string kModel =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

// One unit; a frame takes 10 us, what follows it 20 us, anything else 5 us.
Scenario OneUnitWith(const std::string& streams) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u", "layers": "*", "median_us": 20},
                     {"model": "m2.json", "unit": "u", "layers": "*", "median_us": 5}])",
      {kModel, kModel, kModel},
      R"("transfer": "none", "streams": [)" + streams + "]"};
  return json.Read();
}

std::string Offline(const std::string& name, int model, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "model": "m)" + std::to_string(model) +
         R"(.json", "count": 1, "arrival": {"type": "offline"})" + more + "}";
}
std::string After(const std::string& name, int model, const std::string& stream,
                  const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "model": "m)" + std::to_string(model) +
         R"(.json", "depends_on": {"stream": ")" + stream + "\"}" + more + "}";
}

// The names of the streams in the order in which their requests end.
std::string OrderBy(const std::string& policy, const Scenario& scenario) {
  struct Ends final : SpanSink {
    void Add(const Span&) override {}
    void Ended(const RequestEnd& end) override { streams.push_back(end.stream); }
    std::vector<StreamId> streams;
  } ends;
  RunOptions options;
  options.spans = &ends;
  (void)RunPolicy(scenario, '"' + policy + '"', options);
  std::string names;
  for (const StreamId stream : ends.streams) {
    names += (names.empty() ? "" : " ") + scenario.streams[stream.index()].name;
  }
  return names;
}

TEST(ByDeadline, AFrameIsDueWithWhatFollowsIt) {
  const Scenario scenario =
      OneUnitWith(Offline("other", 2, R"(, "deadline_us": 50)") + "," + Offline("frame", 0) + "," +
                  After("face", 1, "frame", R"(, "end_to_end_deadline_us": 40)"));
  EXPECT_EQ(OrderBy("edf", scenario), "frame face other");
  EXPECT_EQ(OrderBy("lst", scenario), "frame face other");
  EXPECT_EQ(OrderBy("fcfs", scenario), "other frame face");
}

TEST(ByDeadline, WhatIsDueLaterComesLater) {
  const Scenario scenario =
      OneUnitWith(Offline("other", 2, R"(, "deadline_us": 50)") + "," + Offline("frame", 0) + "," +
                  After("face", 1, "frame", R"(, "end_to_end_deadline_us": 70)"));
  EXPECT_EQ(OrderBy("edf", scenario), "other frame face");
  EXPECT_EQ(OrderBy("lst", scenario), "frame other face")
      << "the frame may wait 70 - 10 - 20, the other 50 - 5, what follows the frame 70 - 20";
}

TEST(ByDeadline, TheFrameCountsAndNotWhenItsFollowerCame) {
  // Two frames at once; the face of the first is due before that of the second however late it comes.
  const Scenario scenario = OneUnitWith(Offline("slow", 0) + "," + Offline("quick", 2) + "," +
                                        After("face", 1, "slow", R"(, "end_to_end_deadline_us": 100)") + "," +
                                        After("hand", 1, "quick", R"(, "end_to_end_deadline_us": 101)"));
  EXPECT_EQ(OrderBy("edf", scenario), "slow face quick hand");
}

TEST(ByDeadline, OfTwoDeadlinesTheEarlierCounts) {
  // While the frame runs, until 10 us, something comes that is due at 45.
  const auto faces = [](int own, int from_end_to_end) {
    return OneUnitWith(
        R"({"name": "other", "model": "m2.json", "count": 1, "deadline_us": 40,
            "arrival": {"type": "periodic", "period_us": 1000, "phase_us": 5}}, )" +
        Offline("frame", 0) + "," +
        After("face", 1, "frame",
              R"(, "deadline_us": )" + std::to_string(own) + R"(, "end_to_end_deadline_us": )" +
                  std::to_string(from_end_to_end)));
  };
  EXPECT_EQ(OrderBy("edf", faces(70, 60)), "frame other face");
  EXPECT_EQ(OrderBy("edf", faces(30, 60)), "frame face other");
  EXPECT_EQ(OrderBy("edf", faces(70, 44)), "frame face other");
}

TEST(ByDeadline, WhatIsNeverDueComesLast) {
  const Scenario scenario = OneUnitWith(Offline("any", 2) + "," + Offline("frame", 0) + "," +
                                        After("face", 1, "frame", R"(, "end_to_end_deadline_us": 900)") +
                                        "," + After("more", 1, "face"));
  EXPECT_EQ(OrderBy("edf", scenario), "frame face any more");
  EXPECT_EQ(OrderBy("lst", scenario), "frame face any more");
}

TEST(ByDeadline, GoesUpAChainLessWhatItNeeds) {
  const Scenario scenario = OneUnitWith(Offline("frame", 0) + "," + After("face", 1, "frame") + "," +
                                        After("name", 2, "face", R"(, "end_to_end_deadline_us": 100)") + "," +
                                        After("show", 2, "frame", R"(, "end_to_end_deadline_us": 80)"));
  const Problem problem(scenario, Granularity::kModel);
  const auto after_root = [&](const std::vector<Nanos>& needs) {
    std::vector<std::int64_t> dues;
    for (const DueOfStream& due : DuesOf(problem, needs)) {
      Nanos first = Nanos::max();
      for (const auto& since : due.since_root) first = std::min(first, since.after);
      dues.push_back(first.count() / 1000);
    }
    return dues;
  };
  EXPECT_EQ(after_root(std::vector<Nanos>(problem.segments().size(), Nanos{0})),
            (std::vector<std::int64_t>{80, 100, 100, 80}));
  EXPECT_EQ(after_root(LongestChains(problem)), (std::vector<std::int64_t>{75, 95, 100, 80}))
      << "of the frame 100 - 5 - 20 by what the face needs, 80 - 5 by what is to be shown";
}

// Of every third frame alone is anything due.
TEST(ByDeadline, WhatIsNotFollowedIsNotDue) {
  const Scenario scenario = OneUnitWith(
      R"({"name": "frame", "model": "m0.json", "count": 12, "arrival": {"type": "periodic", "period_us": 100}},
         {"name": "face", "model": "m1.json", "depends_on": {"stream": "frame", "every": 2}},
         {"name": "name", "model": "m2.json", "end_to_end_deadline_us": 90, "depends_on": {"stream": "face", "every": 3}})");
  const Problem problem(scenario, Granularity::kModel);
  const auto dues = DuesOf(problem, std::vector<Nanos>(problem.segments().size(), Nanos{0}));
  using Since = DueOfStream::SinceRoot;
  EXPECT_EQ(dues[0].since_root, std::vector<Since>({{Nanos{90'000}, 6}}));
  EXPECT_EQ(dues[1].since_root, std::vector<Since>({{Nanos{90'000}, 3}}));
  EXPECT_EQ(dues[2].since_root, std::vector<Since>({{Nanos{90'000}, 1}}));
}

// What hangs on nothing that is due is ordered as before.
TEST(ByDeadline, WithoutSuchDeadlinesNothingChanges) {
  const std::string streams = Offline("a", 2, R"(, "deadline_us": 50)") + "," +
                              Offline("b", 0, R"(, "deadline_us": 20)") + "," + Offline("c", 1) + "," +
                              Offline("d", 1, R"(, "deadline_us": 50)");
  const std::string due = R"(, "end_to_end_deadline_us": 3000000)";
  for (const char* policy : {"edf", "lst"}) {
    EXPECT_EQ(OrderBy(policy, OneUnitWith(streams + "," + After("e", 2, "c"))),
              OrderBy(policy, OneUnitWith(streams + "," + After("e", 2, "c", due))))
        << policy;
  }
}

}  // namespace
}  // namespace tandem
