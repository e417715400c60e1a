// Does the exact search agree with other ways to find the best schedule, and prove only what is true?
#include "policies/bounds/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "policies/bounds/bound.h"
#include "profiles/program/shipped.h"
#include "scenarios/arrivals/random.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using Chain = std::vector<std::array<std::int64_t, 2>>;  // per job: its time on the two units

// Two chains on two units by dynamic programming: of all ways to get so far in both, those that are nowhere
// later in any of four dates.
std::int64_t BestOfTwoChains(const Chain& a, const Chain& b) {
  using State = std::array<std::int64_t, 4>;  // units free from, chains ended at
  std::vector<std::vector<std::set<State>>> states(a.size() + 1, std::vector<std::set<State>>(b.size() + 1));
  states[0][0].insert(State{});
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::vector<State> kept;  // a state comes after all that could be nowhere later
      for (const State& state : states[i][j]) {
        const bool later = std::any_of(kept.begin(), kept.end(), [&](const State& other) {
          return std::equal(other.begin(), other.end(), state.begin(), std::less_equal<>());
        });
        if (!later) kept.push_back(state);
      }
      states[i][j] = {kept.begin(), kept.end()};
      for (const State& state : kept) {
        for (std::size_t unit = 0; unit < 2; ++unit) {
          for (std::size_t chain = 0; chain < 2; ++chain) {
            const Chain& jobs = chain == 0 ? a : b;
            const std::size_t at = chain == 0 ? i : j;
            if (at == jobs.size()) continue;
            State next = state;
            next[unit] = next[2 + chain] = std::max(state[unit], state[2 + chain]) + jobs[at][unit];
            states[i + 1 - chain][j + chain].insert(next);
          }
        }
      }
    }
  }
  std::int64_t best = INT64_MAX;
  for (const State& state : states[a.size()][b.size()]) best = std::min(best, std::max(state[2], state[3]));
  return best;
}

TEST(Exact, TwoChainsOnTwoUnits) {
  const Chain googlenet = {{35, 75}, {15, 34}, {20, 45}, {11, 37}, {12, 31},
                           {13, 33}, {15, 31}, {19, 35}, {12, 27}, {20, 36}};
  const Chain alexnet = {{15, 41}, {6, 20}, {22, 45}, {8, 22}, {16, 41}, {70, 191}, {32, 68}, {10, 13}};
  ExactCase both{{}, {1, 1}};
  for (const Chain* chain : {&googlenet, &alexnet}) {
    for (std::size_t i = 0; i < chain->size(); ++i) {
      ExactJob job;
      job.time = {Nanos{(*chain)[i][0]}, Nanos{(*chain)[i][1]}};
      if (i > 0) job.after = {static_cast<std::int32_t>(both.jobs.size()) - 1};
      job.request = chain == &alexnet ? 1 : 0;
      both.jobs.push_back(job);
    }
  }
  const ExactAnswer answer = SolveExactly(both, 20'000);
  EXPECT_TRUE(answer.proved);
  EXPECT_EQ(answer.end.count(), BestOfTwoChains(googlenet, alexnet));
}

// The least end by trying every order of starts on every slot.
class BruteForce {
 public:
  explicit BruteForce(const ExactCase& jobs) : case_(jobs), ends_(jobs.jobs.size(), Nanos{-1}) {
    for (std::size_t u = 0; u < jobs.slots.size(); ++u) units_.insert(units_.end(), jobs.slots[u], u);
    free_.resize(units_.size());
    Go(0, Nanos{0});
  }
  Nanos best{INT64_MAX};

 private:
  void Go(std::size_t done, Nanos last_start) {
    if (done == ends_.size()) best = std::min(best, *std::max_element(ends_.begin(), ends_.end()));
    for (std::size_t j = 0; j < ends_.size(); ++j) {
      const ExactJob& job = case_.jobs[j];
      Nanos ready = std::max(job.release, last_start);
      bool waits = ends_[j] >= Nanos{0};
      for (const std::int32_t before : job.after) {
        const Nanos end = ends_[static_cast<std::size_t>(before)];
        waits = waits || end < Nanos{0};
        ready = std::max(ready, end);
      }
      for (std::size_t lane = 0; lane < free_.size() && !waits; ++lane) {
        const Nanos time = job.time[units_[lane]], freed = free_[lane], start = std::max(ready, freed);
        if (time < Nanos{0} || (job.due && start + time > *job.due)) continue;
        free_[lane] = ends_[j] = start + time;
        Go(done + 1, start);
        free_[lane] = freed;
        ends_[j] = Nanos{-1};
      }
    }
  }

  const ExactCase& case_;
  std::vector<Nanos> free_, ends_;
  std::vector<std::size_t> units_;
};

ExactCase RandomCase(StreamRandom& random, std::int64_t jobs) {
  ExactCase made;
  const std::int64_t units = 1 + random.UniformUpTo(1), shape = random.UniformUpTo(2);
  const bool releases = random.UniformUpTo(1) > 0, dues = random.UniformUpTo(2) == 0;
  for (std::int64_t u = 0; u < units; ++u) made.slots.push_back(random.UniformUpTo(3) == 0 ? 2 : 1);
  for (std::int64_t i = 0; i < jobs; ++i) {
    ExactJob job;
    for (std::int64_t u = 0; u < units; ++u) {
      const bool there = u == 0 || random.UniformUpTo(4) > 0;
      job.time.push_back(there ? Nanos{random.UniformUpTo(11)} : Nanos{-1});
    }
    if (i > 0 && random.UniformUpTo(1) > 0) job.time = made.jobs.back().time;
    for (std::int64_t before = shape == 2 ? 0 : i - 1; shape > 0 && before >= 0 && before < i; ++before) {
      if (random.UniformUpTo(2) == 0) job.after.push_back(static_cast<std::int32_t>(before));
    }
    if (releases) job.release = Nanos{random.UniformUpTo(9)};
    if (dues && random.UniformUpTo(1) > 0) job.due = Nanos{8 + random.UniformUpTo(24)};
    const bool same_request = i > 0 && !job.after.empty() && random.UniformUpTo(1) > 0;
    job.request = i == 0 ? 0 : made.jobs.back().request + (same_request ? 0 : 1);
    made.jobs.push_back(job);
  }
  return made;
}

TEST(Exact, AgreesWithBruteForce) {
  StreamRandom random("exact", 1);
  for (int round = 0; round < 200; ++round) {
    const ExactCase jobs = RandomCase(random, round % 50 == 0 ? 6 : 1 + random.UniformUpTo(4));
    const BruteForce brute(jobs);
    const ExactAnswer answer = SolveExactly(jobs, 100'000);
    EXPECT_TRUE(answer.proved) << "round " << round;
    EXPECT_EQ(answer.schedule.empty() ? Nanos{INT64_MAX} : answer.end, brute.best) << "round " << round;
    const ExactAnswer hasty = SolveExactly(jobs, 4);
    EXPECT_LE(hasty.bound, brute.best) << "round " << round;
    EXPECT_TRUE(hasty.schedule.empty() || hasty.end >= brute.best) << "round " << round;
    EXPECT_TRUE(!hasty.proved || hasty.schedule.empty() || hasty.end == brute.best) << "round " << round;
    std::vector<WorkClass> work;
    for (const ExactJob& job : jobs.jobs) work.push_back({1, job.time});
    EXPECT_LE(DivisionBound(work, jobs.slots), brute.best) << "round " << round;
  }
}

TEST(Exact, AProblemWrittenOut) {
  const Scenario scenario = ReadMini(R"("policies": ["fcfs"], "streams": [
      {"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "closed"}},
      {"name": "b", "model": "resnet50", "count": 2, "arrival": {"type": "periodic", "period_us": 100}}])");
  const Problem problem(scenario, Granularity::kModel);
  const auto written = WriteOut(problem);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->tasks.size(), 5u);
  EXPECT_EQ(written->first_release, Nanos{0});
  const ExactAnswer answer = SolveExactly(written->jobs, 10'000);
  EXPECT_TRUE(answer.proved);
  EXPECT_LE(answer.end, RunPolicy(scenario, R"("fcfs")").makespan());
  EXPECT_GE(answer.end, LowerBound(problem).makespan.value());
}

}  // namespace
}  // namespace tandem
