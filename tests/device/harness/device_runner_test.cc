// Does the device's runner hand out work as the virtual one does, by any number of threads, and does a run
// end however it goes?
#include "device/harness/device_runner.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "device/harness/late_releases.h"
#include "device/profiler/dispatch_cost.h"
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/base/input_error.h"
#include "tests/support/small_scenario.h"
#include "tests/support/two_units.h"

namespace tandem {
namespace {

using TaskKey = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // stream, index, segment
TaskKey KeyOf(const Task& task) { return {task.stream.value, task.index, task.segment.value}; }

struct Ran {
  TaskKey task;
  std::int32_t unit = 0;
};

class Spans final : public SpanSink {
 public:
  void Add(const Span& span) override { all.push_back(span); }
  void Ended(const RequestEnd& end) override { ++(end.dropped ? dropped : completed); }
  std::vector<Span> all;
  int completed = 0, dropped = 0;
};

// Does nothing, but counts; at the run of that number it throws.
class CountingWork : public SlotWork {
 public:
  void Begin(std::size_t place, const Occupation& slot, Nanos) override {
    tasks_[place] = slot.task;
    begun.push_back({KeyOf(slot.task), slot.unit.value});
  }
  void Do(std::size_t) override {
    if (++done == throws_at) throw EnvironmentError("it broke");
  }
  void Ended(std::size_t) override { ++ended; }

  std::atomic<int> done{0};
  int throws_at = -1, ended = 0;
  std::vector<Ran> begun;

 protected:
  std::map<std::size_t, Task> tasks_;
};

// Requests of one task come to their ends in an order that is given, whatever the threads do, each at an
// instant of its own.
class OrderedWork final : public SlotWork {
 public:
  explicit OrderedWork(const std::vector<TaskKey>& ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) turn_[ends[i]] = static_cast<std::int64_t>(i);
  }

  void Begin(std::size_t place, const Occupation& slot, Nanos) override {
    turns_[place] = turn_.at(KeyOf(slot.task));
    begun.push_back({KeyOf(slot.task), slot.unit.value});
  }
  void Do(std::size_t place) override {
    while (runner->ended_requests() < turns_[place]) std::this_thread::yield();
  }
  void Ended(std::size_t) override {}

  const DeviceRunner* runner = nullptr;
  std::vector<Ran> begun;

 private:
  std::map<TaskKey, std::int64_t> turn_;
  std::array<std::int64_t, 8> turns_{};  // per place
};

struct DeviceOutcome {
  std::exception_ptr failure;
  Outcome outcome;
};

template <class Work>
DeviceOutcome RunOnThreads(const PreparedRun& prepared, Work& work, SpanSink* spans = nullptr,
                           DeviceRunnerOptions options = {}) {
  RunOptions run_options;
  run_options.spans = spans;
  Dispatcher dispatcher(*prepared.problem, *prepared.policy, run_options);
  DeviceRunner runner(dispatcher, work, std::move(options));
  if constexpr (std::is_same_v<Work, OrderedWork>) work.runner = &runner;
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < runner.places(); ++p) threads.emplace_back([&runner, p] { runner.Serve(p); });
  runner.Run(dispatcher);
  for (std::thread& thread : threads) thread.join();
  return {runner.failure(), dispatcher.TakeOutcome()};
}

PreparedRun PrepareNamed(const Scenario& scenario, std::vector<PolicySpec>& specs, const char* policy,
                         Granularity granularity = Granularity::kModel) {
  specs.push_back(PolicyByName(policy, scenario, "test"));
  specs.back().granularity = granularity;
  return Prepare(scenario, specs.back());
}

// Chains of three layers; times so large that hardly any two sums are alike.
Scenario ThreeUnits(std::int64_t count, std::int64_t slots_of_second = 2) {
  SmallScenario small({1, slots_of_second, 1});
  small.AddStream(
      small.AddModel({{3001013, 5003021, 2017049}, {1009153, 703211, 1511309}, {907411, 1201523, 809617}}),
      count);
  small.AddStream(
      small.AddModel({{2203709, 1709803, 4001917}, {301027, 613043, 419057}, {1433077, 1543081, 1667093}}),
      count);
  return small.Build();
}

TEST(DeviceRunner, HandsOutAsTheVirtualRunnerDoes) {
  for (const char* policy : {"fcfs", "sjf", "round_robin", "affinity", "priority"}) {
    const Scenario scenario = ThreeUnits(20, 1);
    std::vector<PolicySpec> specs;
    specs.reserve(2);
    const PreparedRun predicted = PrepareNamed(scenario, specs, policy);
    Spans spans;
    RunOptions options;
    options.spans = &spans;
    RunVirtual(*predicted.problem, *predicted.policy, options);
    std::vector<TaskKey> ends;
    std::set<Nanos> dates;
    std::map<TaskKey, std::int32_t> unit_of;
    for (const Span& span : spans.all) {
      ends.emplace_back(span.stream.value, span.index, span.segment);
      unit_of[ends.back()] = span.unit.value;
      ASSERT_TRUE(dates.insert(span.end).second) << "what ends at once in virtual time does not on threads";
    }
    OrderedWork work(ends);
    const PreparedRun measured = PrepareNamed(scenario, specs, policy);
    const DeviceOutcome run = RunOnThreads(measured, work);
    EXPECT_TRUE(run.outcome.complete);
    ASSERT_EQ(work.begun.size(), ends.size()) << policy;
    for (const Ran& ran : work.begun) EXPECT_EQ(ran.unit, unit_of[ran.task]) << policy;
  }
}

TEST(DeviceRunner, RunsEveryTaskOnceAndNoTwoAtATimeOnASlot) {
  const Scenario scenario = ThreeUnits(400);
  std::vector<PolicySpec> specs;
  specs.reserve(1);
  const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs", Granularity::kLayer);
  CountingWork work;
  Spans spans;
  const DeviceOutcome run = RunOnThreads(prepared, work, &spans);
  EXPECT_EQ(work.done, 2 * 400 * 3);
  EXPECT_EQ(work.ended, work.done);
  EXPECT_EQ(spans.completed, 800);
  EXPECT_EQ(run.outcome.streams[0].completed() + run.outcome.streams[1].completed(), 800);
  std::map<std::pair<std::int32_t, std::int32_t>, Nanos> free_from;
  Nanos last{0};
  for (const Span& span : spans.all) {
    Nanos& from = free_from[{span.unit.value, span.slot}];
    EXPECT_GE(span.start, from);
    EXPECT_GE(span.end, span.start);
    EXPECT_GE(span.end, last) << "spans come in order of their ends";
    from = last = span.end;
  }
}

// One unit, and so many requests of one model that come one after the other.
Scenario Periodic(std::int64_t period_ns, std::int64_t requests) {
  SmallScenario small({1});
  PeriodicArrival arrival;
  arrival.period_ns = period_ns;
  arrival.divisor = 1;
  small.AddStream(small.AddModel({{10}}), requests, arrival);
  return small.Build();
}

TEST(DeviceRunner, ReleasesBySchedule) {
  const Scenario scenario = Periodic(2'000'000, 5);
  std::vector<PolicySpec> specs;
  specs.reserve(1);
  const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs");
  CountingWork work;
  Spans spans;
  RunOnThreads(prepared, work, &spans);
  ASSERT_EQ(spans.all.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(spans.all[k].release, Nanos{2'000'000} * k);
    EXPECT_GE(spans.all[k].start, spans.all[k].release);
  }
}

// Its first task is at work until all but one request have been due for long.
class LongFirst final : public CountingWork {
 public:
  explicit LongFirst(Nanos takes) : takes_(takes) {}
  void Do(std::size_t place) override {
    if (done == 0) std::this_thread::sleep_for(takes_);
    CountingWork::Do(place);
  }

 private:
  Nanos takes_;
};

TEST(DeviceRunner, ABusyUnitHandsOutWhatWasReleasedMeanwhileAndNobodyIsLate) {
  const Scenario scenario = Periodic(1'000'000, 4);
  std::vector<PolicySpec> specs;
  specs.reserve(1);
  const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs");
  LongFirst work(Nanos{8'000'000});
  const DeviceRunner* running = nullptr;
  LateReleases late(*prepared.problem, *prepared.policy, [&](UnitId unit) { return running->WasIdle(unit); });
  Spans spans;
  RunOptions run_options;
  run_options.spans = &spans;
  Dispatcher dispatcher(*prepared.problem, late, run_options);
  DeviceRunner runner(dispatcher, work);
  running = &runner;
  std::thread thread([&runner] { runner.Serve(0); });
  runner.Run(dispatcher);
  thread.join();
  ASSERT_EQ(spans.all.size(), 4u);
  EXPECT_EQ(spans.all[1].start, spans.all[0].end) << "at the instant at which the unit is free";
  EXPECT_EQ(late.late(), 0);
}

TEST(DeviceRunner, IdleUnitsReleaseBySchedule) {
  for (const Nanos spin : {Nanos{0}, Nanos{50'000}}) {
    SmallScenario small({1, 2, 1});
    PeriodicArrival arrival;
    arrival.period_ns = 300'000;
    arrival.divisor = 1;
    small.AddStream(small.AddModel({{10, 10, 10}}), 40, arrival);
    arrival.period_ns = 700'000;
    small.AddStream(small.AddModel({{10, 10, 10}}), 20, arrival);
    small.AddStream(small.AddModel({{10, 10, 10}}), 50, ClosedArrival{});
    const Scenario scenario = small.Build();
    std::vector<PolicySpec> specs;
    specs.reserve(1);
    const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs");
    CountingWork work;
    Spans spans;
    DeviceRunnerOptions options;
    options.spin = [&](UnitId) { return spin; };
    const DeviceOutcome run = RunOnThreads(prepared, work, &spans, options);
    EXPECT_TRUE(run.outcome.complete);
    EXPECT_EQ(spans.completed, 110);
    for (const Span& span : spans.all) EXPECT_GE(span.start, span.release);
  }
}

TEST(DeviceRunner, AFailureEndsTheRunAndKeepsWhatIsDone) {
  const Scenario scenario = ThreeUnits(50);
  std::vector<PolicySpec> specs;
  specs.reserve(1);
  const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs");
  CountingWork work;
  work.throws_at = 20;
  const DeviceOutcome run = RunOnThreads(prepared, work);
  ASSERT_TRUE(run.failure);
  EXPECT_THROW(std::rethrow_exception(run.failure), EnvironmentError);
  EXPECT_FALSE(run.outcome.complete);
  const std::int64_t completed = run.outcome.streams[0].completed() + run.outcome.streams[1].completed();
  EXPECT_EQ(completed, work.ended);
  EXPECT_GE(completed, 16);  // of the four slots all but those that were at it
  EXPECT_EQ(work.begun.size(), static_cast<std::size_t>(work.done)) << "what was begun came to its end";
}

TEST(DeviceRunner, EndsWhenItIsToldTo) {
  const Scenario scenario = Periodic(3'600'000'000'000, 2);
  std::vector<PolicySpec> specs;
  specs.reserve(1);
  const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs");
  CountingWork work;
  DeviceRunnerOptions options;
  options.keep_going = [](std::int64_t ended) { return ended == 0; };
  const DeviceOutcome run = RunOnThreads(prepared, work, nullptr, options);
  EXPECT_FALSE(run.failure);
  EXPECT_FALSE(run.outcome.complete);
  EXPECT_EQ(run.outcome.streams[0].completed(), 1);
}

TEST(LateReleases, CountsRequestsNotTasks) {
  struct NoBoard final : Board {
    Nanos Remaining(UnitId) const override { return Nanos{0}; }
  } board;
  const Scenario scenario = ThreeUnits(1);
  std::vector<PolicySpec> specs;
  specs.reserve(1);
  const PreparedRun prepared = PrepareNamed(scenario, specs, "fcfs", Granularity::kLayer);
  bool idle = true;
  LateReleases late(*prepared.problem, *prepared.policy,
                    [&](UnitId unit) { return idle && unit == UnitId(1); });
  Task task;
  task.stream = StreamId(0);
  task.segment = prepared.problem->cut(StreamId(0)).first;
  board.now = LateReleases::kLate;
  late.Ready(task, board);
  EXPECT_EQ(late.late(), 0);
  board.now += Nanos{1};
  task.index = 1;
  late.Ready(task, board);
  EXPECT_EQ(late.late(), 1);
  task.segment = SegmentId(task.segment.index() + 1);
  late.Ready(task, board);
  EXPECT_EQ(late.late(), 1);
  EXPECT_TRUE(late.Take(UnitId(0), board, task));
  idle = false;  // while all are at work nobody has to know
  task.index = 2;
  task.segment = prepared.problem->cut(StreamId(0)).first;
  late.Ready(task, board);
  EXPECT_EQ(late.late(), 1);
}

TEST(DispatchCost, HasASampleForEveryTask) {
  const Platform platform = TwoReferenceUnits();
  DispatchMeasurement how;
  how.tasks = 200;
  how.touched_bytes = 4096;
  const std::vector<Nanos> samples = MeasureDispatch(platform, UnitId(1), how);
  EXPECT_EQ(samples.size(), 200u);
  for (const Nanos sample : samples) EXPECT_GE(sample, Nanos{0});
}

}  // namespace
}  // namespace tandem
