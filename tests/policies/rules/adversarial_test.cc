// Where is a policy badly beaten? An annealing over small scenarios, after PISA (Coleman, Krishnamachari,
// 2024), looks for those in which one policy takes as many times as long as another as it can find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr int kStarts = 4, kEvaluations = 100;
constexpr std::int64_t kLongest = 100;  // microseconds

// One request of each model; the units take turns in being fast.
struct Instance {
  std::vector<std::vector<std::int64_t>> times;  // per model and unit, microseconds
  std::vector<std::int64_t> releases;            // per model, microseconds

  Scenario Build() const {
    SmallScenario board(std::vector<std::int64_t>(times.front().size(), 1));
    for (std::size_t m = 0; m < times.size(); ++m) {
      const Nanos phase = std::chrono::microseconds{releases[m]};
      board.AddStream(board.AddModel({times[m]}), 1, PeriodicArrival{1000, 1, phase, Nanos{0}});
    }
    return board.Build();
  }
};

Instance SomeInstance(std::mt19937& random) {
  Instance instance;
  const std::size_t models = 3 + random() % 3, units = 2 + random() % 2;
  for (std::size_t m = 0; m < models; ++m) {
    instance.times.emplace_back();
    for (std::size_t u = 0; u < units; ++u) instance.times[m].push_back(1 + random() % kLongest);
    instance.releases.push_back(random() % 3 == 0 ? random() % kLongest : 0);
  }
  return instance;
}

void ChangeSomething(Instance& instance, std::mt19937& random) {
  const std::size_t model = random() % instance.times.size();
  auto& times = instance.times[model];
  std::int64_t& what = random() % 4 == 0 ? instance.releases[model] : times[random() % times.size()];
  const std::int64_t step = static_cast<std::int64_t>(random() % 41) - 20;
  const std::int64_t least = &what == &instance.releases[model] ? 0 : 1;
  what = std::clamp(what + step, least, kLongest);
}

struct Beaten {
  Instance instance;
  Nanos loser{0}, winner{0};  // makespans
  double ratio() const { return static_cast<double>(loser.count()) / static_cast<double>(winner.count()); }
};

Beaten JudgeInstance(const Instance& instance, const std::string& loser, const std::string& winner) {
  const Scenario scenario = instance.Build();
  return {instance, RunPolicy(scenario, loser).makespan(), RunPolicy(scenario, winner).makespan()};
}

// From several starts; takes a worse instance as long as it is not worse by more than the threshold, which
// falls to nothing.
Beaten Search(const std::string& loser, const std::string& winner) {
  std::mt19937 random(23);
  Beaten best = JudgeInstance(SomeInstance(random), loser, winner);
  for (int start = 0; start < kStarts; ++start) {
    Beaten at = JudgeInstance(SomeInstance(random), loser, winner);
    for (int i = 0; i < kEvaluations; ++i) {
      const double threshold = 0.1 * (1 - static_cast<double>(i) / kEvaluations);
      Instance next = at.instance;
      ChangeSomething(next, random);
      const Beaten found = JudgeInstance(next, loser, winner);
      if (found.ratio() > best.ratio()) best = found;
      if (found.ratio() >= at.ratio() - threshold) at = found;
    }
  }
  return best;
}

struct Pair {
  const char *loser, *winner;
  double at_least;
};

class Adversary : public testing::TestWithParam<Pair> {};

TEST_P(Adversary, FindsWhereAPolicyIsBadlyBeaten) {
  const auto& [loser, winner, at_least] = GetParam();
  const std::string losing = '"' + std::string(loser) + '"', winning = '"' + std::string(winner) + '"';
  const Beaten found = Search(losing, winning);
  std::printf("%s takes %.2f times as long as %s\n", loser, found.ratio(), winner);
  EXPECT_GE(found.ratio(), at_least);
  const Beaten again = JudgeInstance(found.instance, losing, winning);
  EXPECT_EQ(again.loser, found.loser);
  EXPECT_EQ(again.winner, found.winner);
  EXPECT_LE(found.winner, found.loser);
}

std::string NameOfPair(const testing::TestParamInfo<Pair>& pair) {
  return std::string(pair.param.loser) + "_by_" + pair.param.winner;
}

INSTANTIATE_TEST_SUITE_P(Policies, Adversary,
                         testing::Values(Pair{"fcfs", "eft", 1.5}, Pair{"sjf", "eft", 1.5},
                                         Pair{"eft", "sjf", 1.2}, Pair{"affinity", "fcfs", 1.5},
                                         Pair{"fastest_unit", "fcfs", 1.5}, Pair{"round_robin", "eft", 1.5},
                                         Pair{"priority", "eft", 1.5}),
                         NameOfPair);

}  // namespace
}  // namespace tandem
