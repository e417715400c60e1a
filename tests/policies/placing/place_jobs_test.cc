// Do the schedulers that plan ahead give what their papers print, and do gaps in a plan keep their rules?
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "policies/placing/plan_ahead_policy.h"
#include "policies/placing/timeline.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

// Tasks 1.. of a paper, three processors; a transfer between two of them takes the weight of its edge.
struct PaperGraph {
  struct Edge {
    int from, to, weight;
  };
  std::vector<std::vector<int>> times;
  std::vector<Edge> edges;

  PlacingGraph Make() const {
    PlacingGraph graph;
    graph.units = times.front().size();
    graph.edges.resize(times.size());
    for (const auto& of_task : times) {
      for (const int time : of_task) graph.time.emplace_back(time);
    }
    for (const Edge& edge : edges) {
      graph.edges[static_cast<std::size_t>(edge.from - 1)].push_back({edge.to - 1, edge.weight});
    }
    graph.transfer = [](const PlacingGraph::Edge& edge, UnitId from, UnitId to) {
      return from == to ? Nanos{0} : Nanos{edge.weight};
    };
    return graph;
  }
};

// The graph of Topcuoglu, Hariri and Wu, 2002.
PaperGraph Topcuoglu() {
  return {{{14, 16, 9},
           {13, 19, 18},
           {11, 13, 19},
           {13, 8, 17},
           {12, 13, 10},
           {13, 16, 9},
           {7, 15, 11},
           {5, 11, 14},
           {18, 12, 20},
           {21, 7, 16}},
          {{1, 2, 18},
           {1, 3, 12},
           {1, 4, 9},
           {1, 5, 11},
           {1, 6, 14},
           {2, 8, 19},
           {2, 9, 16},
           {3, 7, 23},
           {4, 8, 27},
           {4, 9, 23},
           {5, 9, 13},
           {6, 8, 15},
           {7, 10, 17},
           {8, 10, 11},
           {9, 10, 13}}};
}

// The graph of Arabnejad and Barbosa, 2014.
PaperGraph Arabnejad() {
  return {{{22, 21, 36},
           {22, 18, 18},
           {32, 27, 43},
           {7, 10, 4},
           {29, 27, 35},
           {26, 17, 24},
           {14, 25, 30},
           {29, 23, 36},
           {15, 21, 8},
           {13, 16, 33}},
          {{1, 2, 17},
           {1, 3, 31},
           {1, 4, 29},
           {1, 5, 13},
           {1, 6, 7},
           {2, 8, 3},
           {2, 9, 30},
           {3, 7, 16},
           {4, 8, 11},
           {4, 9, 7},
           {5, 9, 57},
           {6, 8, 5},
           {7, 10, 9},
           {8, 10, 42},
           {9, 10, 7}}};
}

// The papers' machine: transfers run beside everything else.
class PaperMachine final : public PlacingTarget {
 public:
  explicit PaperMachine(const PlacingGraph& graph)
      : graph_(graph), lines_(graph.units), on_(graph.tasks()), start_(graph.tasks()), end_(graph.tasks()) {}

  Nanos EndOn(std::size_t, std::size_t task, UnitId unit) override {
    return Start(task, unit) + graph_.Time(task, unit.index());
  }
  void Put(std::size_t, std::size_t task, UnitId unit) override {
    start_[task] = Start(task, unit);
    end_[task] = start_[task] + graph_.Time(task, unit.index());
    on_[task] = unit;
    lines_[unit.index()].Occupy(start_[task], end_[task]);
  }
  // "P3:0-9" for every task.
  std::vector<std::string> Schedule() const {
    std::vector<std::string> schedule;
    for (std::size_t t = 0; t < on_.size(); ++t) {
      schedule.push_back("P" + std::to_string(on_[t].value + 1) + ":" + std::to_string(start_[t].count()) +
                         "-" + std::to_string(end_[t].count()));
    }
    return schedule;
  }

 private:
  Nanos Start(std::size_t task, UnitId unit) const {
    Nanos ready{0};
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      for (const PlacingGraph::Edge& edge : graph_.edges[t]) {
        if (static_cast<std::size_t>(edge.to) == task)
          ready = std::max(ready, end_[t] + graph_.transfer(edge, on_[t], unit));
      }
    }
    return lines_[unit.index()].FirstFit(ready, graph_.Time(task, unit.index()));
  }

  const PlacingGraph& graph_;
  std::vector<Timeline> lines_;
  std::vector<UnitId> on_;
  std::vector<Nanos> start_, end_;
};

using Words = std::vector<std::string>;

// By the policy's rule, which it has whatever board it was made for.
Words Schedule(const std::string& policy, const PaperGraph& paper) {
  const PlacingGraph graph = paper.Make();
  SmallScenario board({1});
  board.AddStream(board.AddModel({{1}}), 1);
  const Scenario scenario = board.Build();
  Problem problem(scenario, Granularity::kModel);
  const auto made = FindPolicy(policy)->make(PolicyByName(policy, scenario, "test"), problem);
  const auto& scheduler = dynamic_cast<const PlanAheadPolicy&>(*made.policy);
  const PlacingRule rule = scheduler.RuleFor(graph);
  std::vector<PlacingJob> jobs = {{.graph = &graph, .rule = &rule}};
  scheduler.Bind(jobs);
  PaperMachine machine(graph);
  PlaceJobs(jobs, machine);
  return machine.Schedule();
}

TEST(Heft, RanksAsInItsPaper) {
  const std::vector<double> printed = {108.000, 77.000, 80.000, 80.000, 69.000,
                                       63.333,  42.667, 35.667, 44.333, 14.667};
  const std::vector<double> ranks = UpwardRanks(Topcuoglu().Make());
  ASSERT_EQ(ranks.size(), printed.size());
  for (std::size_t t = 0; t < ranks.size(); ++t) EXPECT_NEAR(ranks[t], printed[t], 0.0005) << t + 1;
}

TEST(Heft, SchedulesTheGraphOfItsPaperIn80) {
  EXPECT_EQ(Schedule("heft", Topcuoglu()),
            (Words{"P3:0-9", "P1:27-40", "P3:9-28", "P2:18-26", "P3:28-38", "P2:26-42", "P3:38-49",
                   "P1:57-62", "P2:56-68", "P2:73-80"}));
}

TEST(Cpop, SchedulesTheGraphOfItsPaperIn86) {
  EXPECT_EQ(CriticalPath(Topcuoglu().Make()), (std::vector<std::int32_t>{0, 1, 8, 9}));
  EXPECT_EQ(Schedule("cpop", Topcuoglu()),
            (Words{"P2:0-16", "P2:16-35", "P1:28-39", "P3:25-42", "P2:35-48", "P3:42-51", "P1:39-46",
                   "P3:54-68", "P2:65-77", "P2:79-86"}));
}

TEST(Peft, HasTheOptimisticCostsOfItsPaper) {
  EXPECT_EQ(OptimisticCosts(Arabnejad().Make()),
            (std::vector<double>{64, 68, 86, 42, 39, 42, 27, 41, 43, 42, 39, 50, 28, 37, 28,
                                 42, 39, 44, 13, 16, 22, 13, 16, 33, 13, 16, 20, 0,  0,  0}));
}

TEST(Peft, SchedulesTheGraphOfItsPaperIn122) {
  EXPECT_EQ(Schedule("peft", Arabnejad()),
            (Words{"P1:0-22", "P1:29-51", "P1:51-83", "P1:22-29", "P3:35-70", "P2:29-46", "P1:83-97",
                   "P2:54-77", "P3:81-89", "P2:106-122"}));
}

// Tasks that some unit cannot run count where they can.
TEST(PlacementGraphs, AverageOverUnitsThatCanRunATask) {
  const PlacingGraph graph = PaperGraph{{{10, -1}, {4, 8}}, {{1, 2, 6}}}.Make();
  EXPECT_EQ(UpwardRanks(graph), (std::vector<double>{10 + 6 + 6, 6}));
  EXPECT_EQ(DownwardRanks(graph), (std::vector<double>{0, 16}));
  EXPECT_EQ(OptimisticCosts(graph), (std::vector<double>{4, 0, 0, 0}));
}

TEST(PlacementGraphs, OfEquallyLongWaysTheOneOfEarlierTasksIsCritical) {
  const PlacingGraph graph =
      PaperGraph{{{1}, {2}, {2}, {1}}, {{1, 3, 0}, {1, 2, 0}, {2, 4, 0}, {3, 4, 0}}}.Make();
  EXPECT_EQ(CriticalPath(graph), (std::vector<std::int32_t>{0, 1, 3}));
}

TEST(Timeline, FillsTheFirstGapThatHasRoom) {
  Timeline line;
  line.Occupy(Nanos{10}, Nanos{20});
  line.Occupy(Nanos{23}, Nanos{30});
  EXPECT_EQ(line.FirstFit(Nanos{0}, Nanos{10}), Nanos{0});
  EXPECT_EQ(line.FirstFit(Nanos{1}, Nanos{10}), Nanos{30});
  EXPECT_EQ(line.FirstFit(Nanos{1}, Nanos{3}), Nanos{1});
  EXPECT_EQ(line.FirstFit(Nanos{12}, Nanos{3}), Nanos{20});
  EXPECT_EQ(line.FirstFit(Nanos{21}, Nanos{3}), Nanos{30});
  EXPECT_EQ(line.end(), Nanos{30});
}

TEST(Timeline, WhatTakesNoTimeComesBeforeWhatBeginsThen) {
  Timeline line;
  line.Occupy(Nanos{10}, Nanos{20});
  EXPECT_EQ(line.FirstFit(Nanos{9}, Nanos{0}), Nanos{9});
  EXPECT_EQ(line.FirstFit(Nanos{10}, Nanos{0}), Nanos{20});
  line.Occupy(Nanos{5}, Nanos{5});
  EXPECT_EQ(line.FirstFit(Nanos{0}, Nanos{10}), Nanos{0});
}

// Against a line of cells that are free or not.
TEST(Timeline, AgreesWithAPlainLine) {
  constexpr std::size_t kCells = 6000;
  std::mt19937 random(3);
  Timeline line;
  std::vector<char> busy(kCells + 40, 0);
  std::vector<std::pair<Nanos, Nanos>> put;
  for (int round = 0; round < 4000; ++round) {
    if (random() % 4 == 0 && !put.empty()) {
      const std::size_t at = random() % put.size();
      line.Free(put[at].first, put[at].second);
      for (auto c = put[at].first.count(); c < put[at].second.count(); ++c)
        busy[static_cast<std::size_t>(c)] = 0;
      put[at] = put.back();
      put.pop_back();
    }
    const std::size_t from = random() % kCells, length = 1 + random() % 4;
    std::size_t start = from;
    const auto fits = [&] {
      for (std::size_t c = start; c < start + length && c < busy.size(); ++c) {
        if (busy[c]) return false;
      }
      return true;
    };
    while (!fits()) ++start;
    const Nanos found = line.FirstFit(Nanos{from}, Nanos{length});
    ASSERT_EQ(found, Nanos{start});
    if (start + length > busy.size()) continue;
    line.Occupy(found, found + Nanos{length});
    put.emplace_back(found, found + Nanos{length});
    std::fill_n(busy.begin() + static_cast<std::ptrdiff_t>(start), length, 1);
  }
  line.Forget(Nanos{kCells / 2});
  std::size_t next = kCells / 2;
  while (busy[next]) ++next;
  EXPECT_EQ(line.FirstFit(Nanos{kCells / 2}, Nanos{1}), Nanos{next});
}

}  // namespace
}  // namespace tandem
