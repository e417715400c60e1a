// Where does a unit's time go, by hand on runs of a few spans?
#include "scenarios/trace/time_by_cause.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr UnitId kCpu(std::size_t{0}), kNpu(std::size_t{1}), kEngine(std::size_t{2});

// Segment 0 runs on both units, segment 1 on the npu alone.
TimeByCause TwoUnits() {
  return TimeByCause(
      {1, 1}, [](std::int32_t segment, UnitId unit) { return segment == 0 || unit == kNpu; },
      [](StreamId) { return std::vector<std::int32_t>{0}; });
}

Span Compute(UnitId unit, std::int32_t index, std::int32_t segment, int ready, int start, int end) {
  Span span;
  span.unit = unit;
  span.stream = StreamId(std::size_t{0});
  span.index = index;
  span.segment = segment;
  span.ready = Nanos{ready};
  span.start = Nanos{start};
  span.end = Nanos{end};
  return span;
}

Outcome Until(int end) {
  Outcome outcome;
  outcome.last_completion = Nanos{end};
  return outcome;
}

TEST(TimeByCause, TellsWaitingBlockedAndIdleApart) {
  TimeByCause times = TwoUnits();
  times.Add(Compute(kCpu, 0, 0, 0, 0, 10));   // the npu stands idle while request 1 waits until 10
  times.Add(Compute(kCpu, 1, 0, 0, 10, 20));  // and while segment 1 of request 0 waits from 10 to 15
  times.Add(Compute(kNpu, 0, 1, 10, 15, 30));
  times.Add(Compute(kNpu, 1, 1, 20, 30, 34));
  const std::vector<UnitTime> result = times.Result(Until(40));
  EXPECT_EQ(result[0][Cause::kWorking], Nanos{20});
  EXPECT_EQ(result[0][Cause::kNothing], Nanos{20});
  EXPECT_EQ(result[1][Cause::kWorking], Nanos{19});
  EXPECT_EQ(result[1][Cause::kHeldBack], Nanos{15});
  EXPECT_EQ(result[1][Cause::kBlocked], Nanos{0});
  EXPECT_EQ(result[1][Cause::kNothing], Nanos{6});
}

TEST(TimeByCause, AUnitIsBlockedByTasksElsewhere) {
  TimeByCause times = TwoUnits();
  times.Add(Compute(kCpu, 0, 0, 0, 0, 10));
  times.Add(Compute(kNpu, 0, 1, 10, 10, 30));
  const std::vector<UnitTime> result = times.Result(Until(30));
  EXPECT_EQ(result[1][Cause::kBlocked], Nanos{10});
  EXPECT_EQ(result[1][Cause::kHeldBack], Nanos{0});
}

TEST(TimeByCause, ASlotThatAnEngineFeedsWaitsForInput) {
  TimeByCause times = TwoUnits();
  Span copy = Compute(kEngine, 0, 0, 0, 0, 6);
  copy.kind = SpanKind::kTransfer;
  times.Add(copy);
  times.Add(Compute(kNpu, 0, 0, 0, 6, 10));
  Span load = Compute(kCpu, 1, 0, 0, 0, 3);
  load.kind = SpanKind::kLoad;
  times.Add(load);
  times.Add(Compute(kCpu, 1, 0, 0, 5, 10));
  const std::vector<UnitTime> result = times.Result(Until(10));
  EXPECT_EQ(result[1][Cause::kInput], Nanos{6});
  EXPECT_EQ(result[1][Cause::kWorking], Nanos{4});
  EXPECT_EQ(result[0][Cause::kMoving], Nanos{3});
  EXPECT_EQ(result[0][Cause::kInput], Nanos{2});
  EXPECT_EQ(result[0][Cause::kWorking], Nanos{5});
}

TEST(TimeByCause, ADroppedRequestWaitedUntilItWasDropped) {
  TimeByCause times = TwoUnits();
  times.Add(Compute(kCpu, 0, 0, 0, 0, 10));
  times.Ended({StreamId(std::size_t{0}), 1, Nanos{2}, Nanos{7}, true});
  EXPECT_EQ(times.Result(Until(10))[1][Cause::kHeldBack], Nanos{5});
}

}  // namespace
}  // namespace tandem
