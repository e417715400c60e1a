// Does the simulator obey what is proved about schedules and queues?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "scenarios/arrivals/random.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr std::int64_t kRequests = 60000;
constexpr double kServicePerSecond = 1000;

struct WaitingTimes {
  double mean = 0, error = 0;  // of the time in the queue, in seconds; the error of the mean of batches
};

WaitingTimes WaitingOf(const Outcome& outcome, double mean_service) {
  const auto& latencies = outcome.streams[0].latencies;
  constexpr std::size_t kBatches = 40;
  const std::size_t size = latencies.size() / kBatches;
  double sum = 0, squares = 0;
  for (std::size_t b = 0; b < kBatches; ++b) {
    double batch = 0;
    for (std::size_t i = 0; i < size; ++i)
      batch += static_cast<double>(latencies[b * size + i].count()) / 1e9;
    const double mean = batch / static_cast<double>(size) - mean_service;
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / kBatches;
  return {mean, std::sqrt((squares / kBatches - mean * mean) / (kBatches - 1))};
}

Outcome RunQueue(std::vector<std::int64_t> slots, double load, bool exponential) {
  const auto servers = static_cast<double>(std::accumulate(slots.begin(), slots.end(), std::int64_t{0}));
  SmallScenario board(slots);
  const ModelId model = board.AddModel({std::vector<std::int64_t>(slots.size(), 1000)});
  board.AddStream(model, kRequests, PoissonArrival{load * servers * kServicePerSecond});
  const Scenario scenario = board.Build();
  StreamRandom service("\nservice", 7);
  RunOptions options;
  if (exponential) {
    options.work_time = [&service](const Task&, UnitId, bool, Nanos) {
      return Nanos{static_cast<std::int64_t>(service.Exponential() * 1e9 / kServicePerSecond) + 1};
    };
  }
  return RunPolicy(scenario, R"("fcfs")", options);
}

// The probability that an arrival finds all servers busy.
double ErlangC(int servers, double load) {
  const double offered = load * servers;
  double term = 1, sum = 0;
  for (int k = 0; k < servers; ++k) {
    sum += term;
    term *= offered / (k + 1);
  }
  const double all = term / (1 - load);
  return all / (sum + all);
}

void ExpectWaiting(const WaitingTimes& waiting, double expected) {
  EXPECT_NEAR(waiting.mean, expected, 3 * waiting.error);
  EXPECT_LT(waiting.error, 0.08 * expected) << "too few requests to tell";
}

TEST(Laws, OneServerQueuesAsErlangSays) {
  const double load = 0.7;
  const double expected = load / (1 - load) / kServicePerSecond;
  ExpectWaiting(WaitingOf(RunQueue({1}, load, true), 1 / kServicePerSecond), expected);
  ExpectWaiting(WaitingOf(RunQueue({1}, load, false), 1 / kServicePerSecond), expected / 2);
}

TEST(Laws, SeveralServersQueueAsErlangSays) {
  const double load = 0.8;
  const double expected = ErlangC(3, load) / (3 * kServicePerSecond * (1 - load));
  ExpectWaiting(WaitingOf(RunQueue({3}, load, true), 1 / kServicePerSecond), expected);
  ExpectWaiting(WaitingOf(RunQueue({1, 1, 1}, load, true), 1 / kServicePerSecond), expected);
}

// Adds up how many requests are there and for how long, from the spans alone.
class Population final : public SpanSink {
 public:
  void Add(const Span&) override {}
  void Ended(const RequestEnd& end) override { Change(end.release, end.at); }

  std::int64_t RequestNanos() {
    std::sort(changes_.begin(), changes_.end());
    std::int64_t total = 0, there = 0, since = 0;
    for (const auto& [date, change] : changes_) {
      total += there * (date - since);
      there += change;
      since = date;
    }
    EXPECT_EQ(there, 0);
    return total;
  }

 private:
  void Change(Nanos release, Nanos at) {
    changes_.emplace_back(release.count(), 1);
    changes_.emplace_back(at.count(), -1);
  }
  std::vector<std::pair<std::int64_t, int>> changes_;
};

TEST(Laws, LittlesLaw) {
  SmallScenario board({1, 2});
  const ModelId a = board.AddModel({{300, 500}, {200, 100}}), b = board.AddModel({{900, 400}});
  board.AddStream(a, 2000, PoissonArrival{1200});
  board.AddStream(b, 500, PeriodicArrival{2'000'000, 1, Nanos{0}, Nanos{700'000}});
  const Scenario scenario = board.Build();
  for (const char* policy : {R"("fcfs")", R"("eft")", R"({"name": "sjf", "granularity": "layer"})"}) {
    Population population;
    RunOptions options;
    options.spans = &population;
    const Outcome outcome = RunPolicy(scenario, policy, options);
    Nanos latencies{0};
    for (const StreamOutcome& stream : outcome.streams) {
      latencies = std::accumulate(stream.latencies.begin(), stream.latencies.end(), latencies);
    }
    EXPECT_EQ(population.RequestNanos(), latencies.count()) << policy;
  }
}

std::int64_t TotalLatency(const Outcome& outcome) {
  std::int64_t total = 0;
  for (const StreamOutcome& stream : outcome.streams) {
    for (const Nanos latency : stream.latencies) total += latency.count();
  }
  return total;
}

std::int64_t LeastFlow(std::vector<std::int64_t> jobs) {
  std::sort(jobs.begin(), jobs.end());
  std::int64_t least = INT64_MAX;
  do {
    std::int64_t flow = 0, now = 0;
    for (const std::int64_t job : jobs) flow += now += job;
    least = std::min(least, flow);
  } while (std::next_permutation(jobs.begin(), jobs.end()));
  return least;
}

TEST(Laws, ShortestFirstHasTheLeastMeanFlowOnOneUnit) {
  std::mt19937 random(11);
  int fcfs_is_worse = 0;
  for (int round = 0; round < 30; ++round) {
    SmallScenario board({1});
    std::vector<std::int64_t> jobs(2 + random() % 6);
    for (std::int64_t& job : jobs) {
      job = 1 + static_cast<std::int64_t>(random() % 50);
      board.AddStream(board.AddModel({{job}}), 1);
    }
    const Scenario scenario = board.Build();
    const std::int64_t least = LeastFlow(jobs) * 1000;
    EXPECT_EQ(TotalLatency(RunPolicy(scenario, R"("sjf")")), least);
    fcfs_is_worse += TotalLatency(RunPolicy(scenario, R"("fcfs")")) > least ? 1 : 0;
  }
  EXPECT_GT(fcfs_is_worse, 20);
}

std::int64_t Misses(const Outcome& outcome) {
  std::int64_t misses = 0;
  for (const StreamOutcome& stream : outcome.streams) misses += stream.missed;
  return misses;
}

// One unit is asked for all of its time: models of layers of one microsecond each, periods in microseconds,
// so that interrupting between layers is interrupting wherever it could be of use. Deadlines are the periods.
Scenario FullyLoaded(std::mt19937& random) {
  constexpr std::int64_t kHyperperiod = 120;
  constexpr std::int64_t kPeriods[] = {4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60, 120};
  SmallScenario board({1});
  std::int64_t left = kHyperperiod;
  while (left > 0) {
    const std::int64_t period =
        left < kHyperperiod / 4 ? kHyperperiod : kPeriods[random() % std::size(kPeriods)];
    const std::int64_t per_layer = kHyperperiod / period;
    const std::int64_t most = left / per_layer;
    if (most == 0) continue;
    const auto layers =
        1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(std::min(most, period / 2)));
    const ModelId model =
        board.AddModel(std::vector(static_cast<std::size_t>(layers), std::vector{std::int64_t{1}}));
    Stream& stream =
        board.AddStream(model, 3 * per_layer, PeriodicArrival{period * 1000, 1, Nanos{0}, Nanos{0}});
    stream.deadline = std::chrono::microseconds{period};
    left -= layers * per_layer;
  }
  return board.Build();
}

TEST(Laws, EarliestDeadlineMeetsAllDeadlinesAtFullLoad) {
  std::mt19937 random(13);
  int fcfs_misses = 0, whole_misses = 0;
  for (int round = 0; round < 25; ++round) {
    const Scenario scenario = FullyLoaded(random);
    const Outcome edf = RunPolicy(scenario, R"({"name": "edf", "granularity": "layer"})");
    EXPECT_EQ(Misses(edf), 0);
    EXPECT_EQ(edf.makespan(), std::chrono::microseconds{360}) << "the unit is busy all the time";
    EXPECT_EQ(Misses(RunPolicy(scenario, R"({"name": "lst", "granularity": "layer"})")), 0);
    fcfs_misses += Misses(RunPolicy(scenario, R"({"name": "fcfs", "granularity": "layer"})")) > 0 ? 1 : 0;
    whole_misses += Misses(RunPolicy(scenario, R"("edf")")) > 0 ? 1 : 0;
  }
  EXPECT_GT(fcfs_misses, 10);
  EXPECT_GT(whole_misses, 3) << "whole models cannot be interrupted";
}

// Graham: on m equal units no schedule that leaves none idle is longer than work / m + (1 - 1 / m) x chain.
TEST(Laws, ListSchedulesKeepGrahamsBound) {
  std::mt19937 random(17);
  for (int round = 0; round < 40; ++round) {
    const std::int64_t units = 2 + random() % 3;
    SmallScenario board(std::vector<std::int64_t>(static_cast<std::size_t>(units), 1));
    std::int64_t work = 0, chain = 0;
    for (unsigned i = 0; i < 2 + random() % 6; ++i) {
      std::vector<std::vector<std::int64_t>> layers;
      std::int64_t length = 0;
      for (unsigned l = 0; l < 1 + random() % 4; ++l) {
        const std::int64_t time = 1 + random() % 40;
        layers.emplace_back(static_cast<std::size_t>(units), time);
        length += time;
      }
      const std::int64_t count = 1 + random() % 3;
      board.AddStream(board.AddModel(layers), count).deadline = std::chrono::microseconds{1 + random() % 90};
      work += length * count;
      chain = std::max(chain, length);
    }
    const Scenario scenario = board.Build();
    for (const char* policy : {"fcfs", "sjf", "edf", "lst", "priority", "priority_ageing"}) {
      const Outcome outcome =
          RunPolicy(scenario, R"({"granularity": "layer", "name": ")" + std::string(policy) + "\"}");
      EXPECT_LE(outcome.makespan().count() * units, (work + (units - 1) * chain) * 1000) << policy;
      EXPECT_GE(outcome.makespan().count() * units, work * 1000) << policy;
    }
  }
}

// The least makespan of independent jobs, over every way to spread them.
std::int64_t LeastMakespan(const std::vector<std::vector<std::int64_t>>& jobs,
                           std::vector<std::int64_t> loads, std::size_t next) {
  if (next == jobs.size()) return *std::max_element(loads.begin(), loads.end());
  std::int64_t least = INT64_MAX;
  for (std::size_t u = 0; u < loads.size(); ++u) {
    if (jobs[next][u] == SmallScenario::kCannot) continue;
    loads[u] += jobs[next][u];
    least = std::min(least, LeastMakespan(jobs, loads, next + 1));
    loads[u] -= jobs[next][u];
  }
  return least;
}

TEST(Laws, NoPolicyBeatsTheBestOfAllSchedules) {
  std::mt19937 random(19);
  int reached = 0;
  for (int round = 0; round < 30; ++round) {
    const std::size_t units = 1 + random() % 3;
    SmallScenario board(std::vector<std::int64_t>(units, 1));
    std::vector<std::vector<std::int64_t>> jobs;
    for (unsigned i = 0; i < 2 + random() % 7; ++i) {
      std::vector<std::int64_t> times(units);
      for (std::int64_t& time : times) time = random() % 5 == 0 ? SmallScenario::kCannot : 1 + random() % 60;
      times[random() % units] = 1 + random() % 60;
      // Of one value, so that no layer can be split over units.
      board.AddStream(board.AddModel({times}, {1, 1, 1, 1}), 1);
      jobs.push_back(times);
    }
    const Scenario scenario = board.Build();
    const std::int64_t least = LeastMakespan(jobs, std::vector<std::int64_t>(units), 0) * 1000;
    for (const PolicyDeclaration& policy : Policies()) {
      // They want a map, a unit that runs everything, units of two kinds.
      if (policy.name == "given" || policy.name == "single" || policy.name == "layer_type") continue;
      const std::string keys = policy.name == "best" ? R"(, "evaluations": 50})" : "}";
      const Outcome outcome = RunPolicy(scenario, R"({"name": ")" + std::string(policy.name) + '"' + keys);
      EXPECT_GE(outcome.makespan().count(), least) << policy.name;
      EXPECT_TRUE(policy.name != "best" || outcome.makespan().count() == least);
      reached += policy.name == "eft" && outcome.makespan().count() == least ? 1 : 0;
    }
  }
  EXPECT_GT(reached, 5);
}

}  // namespace
}  // namespace tandem
