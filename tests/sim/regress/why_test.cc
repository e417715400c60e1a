// Do the sentences name the stream, the unit and the cause that moved?
#include "sim/regress/why.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr Nanos kMilli{1'000'000};

UnitWork Work(const std::string& unit, std::int64_t tasks, Nanos working, Nanos held_back) {
  UnitWork work{unit, {}, {{"resnet50", {tasks, working}}}};
  work.time[Cause::kWorking] = working;
  work.time[Cause::kHeldBack] = held_back;
  return work;
}

StreamReport StreamWithMean(const std::string& name, Nanos mean) {
  StreamReport stream;
  stream.name = name;
  stream.latency = LatencySummary{mean, mean, mean, mean, mean, mean};
  return stream;
}

PolicyRun Now(std::vector<UnitWork> work, Nanos a, Nanos b) {
  PolicyRun run;
  run.report.streams = {StreamWithMean("a", a), StreamWithMean("b", b)};
  run.work = std::move(work);
  return run;
}

BaselineCase Then(std::vector<UnitWork> work) {
  BaselineCase kept;
  kept.stream_latency = {{"a", 10 * kMilli}, {"b", 10 * kMilli}};
  kept.work = std::move(work);
  return kept;
}

TEST(Why, NamesStreamUnitAndCause) {
  const BaselineCase before = Then({Work("cpu", 10, 100 * kMilli, Nanos{0})});
  const PolicyRun after = Now({Work("cpu", 10, 120 * kMilli, 5 * kMilli)}, 11 * kMilli, 14 * kMilli);
  EXPECT_EQ(
      WhyMoved(before, after),
      "stream \"b\" takes 4 ms longer a request (+40 %); cpu works 20 ms longer on the same 10 tasks of "
      "resnet50; cpu is kept idle by the policy beside tasks that it could run for 5 ms longer");
}

TEST(Why, NamesTasksThatWentElsewhere) {
  const BaselineCase before =
      Then({Work("cpu", 10, 100 * kMilli, Nanos{0}), Work("gpu", 2, 10 * kMilli, Nanos{0})});
  const PolicyRun after = Now({Work("cpu", 4, 40 * kMilli, Nanos{0}), Work("gpu", 8, 40 * kMilli, Nanos{0})},
                              10 * kMilli, 10 * kMilli);
  EXPECT_EQ(WhyMoved(before, after),
            "cpu has 4 tasks of resnet50 instead of 10, and works 60 ms shorter on them");
}

TEST(Why, CountsOneTask) {
  const PolicyRun after = Now({Work("cpu", 1, 9 * kMilli, Nanos{0})}, 10 * kMilli, 10 * kMilli);
  EXPECT_EQ(WhyMoved(Then({Work("cpu", 3, 27 * kMilli, Nanos{0})}), after),
            "cpu has 1 task of resnet50 instead of 3, and works 18 ms shorter on them");
}

TEST(Why, SaysWhereTheRunIsTheSame) {
  const std::vector<UnitWork> work = {Work("cpu", 1, kMilli, Nanos{0})};
  EXPECT_EQ(WhyMoved(Then(work), Now(work, 10 * kMilli, 10 * kMilli)),
            "units and streams do what they did: what it is compared with has moved");
}

TEST(Why, SaysWhereNothingWasKept) {
  EXPECT_EQ(WhyMoved(Then({}), Now({}, kMilli, kMilli)),
            "the baseline does not keep where the time went; --update adds it");
}

}  // namespace
}  // namespace tandem
