// Does the local search try what it may, and stop once whoever waits for it wants it to?
#include "policies/search/local_search.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "profiles/base/input_error.h"
#include "profiles/program/long_run.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr std::int64_t kEvaluations = 5000;

// So many schedules were tried; `asked_at` the run is asked to end.
std::int64_t Tried(std::int64_t asked_at) {
  SmallScenario small({1, 1});
  small.AddStream(small.AddModel({{10, 20}}), 8);
  const Scenario scenario = small.Build();
  const Problem problem(scenario, Granularity::kModel);
  std::vector<Decision> tasks;
  for (std::int32_t index = 0; index < 8; ++index) {
    tasks.push_back({StreamId(0), index, SegmentId(0), UnitId(0)});
  }
  std::int64_t tried = 0;
  const LocalSearch::Evaluate evaluate = [&](const std::vector<Decision>&) -> std::optional<Evaluated> {
    if (++tried == asked_at) ::raise(SIGTERM);
    return Evaluated{{100, 0}, UnitId(0)};
  };
  StreamRandom random("test", 1);
  LocalSearch(problem, evaluate, random).Run(tasks, kEvaluations, 0);
  return tried;
}

// What a search finds, and where its random numbers then are.
struct Found {
  ScheduleCost cost;
  std::vector<std::int64_t> tasks;
  std::int64_t judged = 0, next = 0;
  friend bool operator==(const Found&, const Found&) = default;
};

// Two models of three parts on three units, from everything on the first one; with hand-overs between units,
// which the pass that proves costs does not count.
Found Search(bool hand_overs, bool proves, std::size_t cores) {
  SmallScenario small({1, 1, 1});
  small.AddStream(small.AddModel({{7, 13, 19}, {11, 5, 3}, {2, 9, 4}}), 14);
  small.AddStream(small.AddModel({{17, 4, 8}, {6, 12, 10}, {3, 3, 5}}), 11);
  Scenario scenario = small.Build();
  if (hand_overs) {
    HandOverEntry entry;
    entry.from = "u0";
    entry.to = "u1";
    entry.time.median = Nanos{4'000};
    scenario.profiles[0].hand_overs.push_back(entry);
  }
  const Problem problem(scenario, Granularity::kLayer);
  const std::vector<std::int64_t> certain = CertainRequests(scenario);
  std::vector<Decision> tasks;
  for (std::size_t s = 0; s < 2; ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    for (std::int32_t index = 0; index < certain[s]; ++index) {
      for (std::int32_t i = 0; i < cut.segments; ++i)
        tasks.push_back(
            {StreamId(s), index, SegmentId(cut.first.index() + static_cast<std::size_t>(i)), UnitId(0)});
    }
  }
  const LocalSearch::Evaluate evaluate = [&](const std::vector<Decision>& of) -> std::optional<Evaluated> {
    Decisions decisions;
    decisions.granularity = Granularity::kLayer;
    decisions.residents.resize(scenario.units.size());
    decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(of, problem));
    try {
      ScheduledPolicy policy(problem, decisions, certain);
      return EvaluatedBy(problem, RunVirtual(problem, policy));
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  StreamRandom random("test", 5);
  LeastCost least(problem, certain);
  EXPECT_TRUE(least.known());
  EXPECT_NE(least.exact(), hand_overs);
  Threads threads(cores);
  LocalSearch search(problem, evaluate, random, proves ? &least : nullptr, &threads);
  Found found;
  found.judged = search.Run(tasks, 2000, 0);
  found.cost = search.best_cost();
  for (const Decision& task : search.best()) {
    for (const std::size_t of : {task.stream.index(), task.segment.index(), task.unit.index()})
      found.tasks.push_back(static_cast<std::int64_t>(of));
    found.tasks.push_back(task.index);
  }
  found.next = random.UniformUpTo(INT64_MAX - 1);
  return found;
}

TEST(LocalSearch, FindsTheSameWithAnyNumberOfThreadsAndWithoutWhatIsProved) {
  for (const bool hand_overs : {false, true}) {
    const Found plain = Search(hand_overs, false, 1);
    EXPECT_GT(plain.judged, 1000);
    for (const std::size_t cores : {1, 2, 5}) {
      EXPECT_TRUE(Search(hand_overs, false, cores) == plain) << cores;
      EXPECT_TRUE(Search(hand_overs, true, cores) == plain) << cores;
    }
  }
}

TEST(LocalSearchOfARun, StopsWhereTheRunIsAskedToEnd) {
  const LongRun run;
  EXPECT_GT(Tried(0), 1000);
  EXPECT_FALSE(run.interrupted());
  EXPECT_EQ(Tried(20), 20);
  EXPECT_TRUE(run.interrupted());
}

}  // namespace
}  // namespace tandem
