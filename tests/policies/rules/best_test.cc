// Does the search find what is provably best, and is it ever worse than a rule?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "policies/search/search.h"
#include "profiles/base/input_error.h"
#include "scenarios/report/objective.h"
#include "tests/support/error_of.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using Random = std::mt19937;

int Below(Random& random, unsigned count) { return static_cast<int>(random() % count); }

std::string Members(const std::string& streams, const std::string& objective, const std::string& more = "") {
  return R"("streams": [)" + streams + R"(], "objective": ")" + objective + "\"" + more;
}

TEST(Best, ReachesTheProvedOptimumOfStudy003) {
  EXPECT_EQ(RunShipped("study-003", R"({"name": "best", "evaluations": 1})").makespan().count(), 2986121000);
}

TEST(Best, ChoosesWhatAUnitHolds) {
  // The npu holds one of the two models that it can run and no scenario says which: as good as the better
  // one.
  const auto least = [](const std::string& resident) {
    const Scenario scenario = ReadMini(Members(
        R"({"name": "a", "model": "mobilenet_v2", "count": 20, "arrival": {"type": "offline"}},
           {"name": "b", "model": "resnet18", "count": 2, "arrival": {"type": "offline"}})",
        "makespan", resident));
    return RunPolicy(scenario, R"({"name": "best", "evaluations": 50})").makespan();
  };
  EXPECT_EQ(least(""), least(R"(, "resident": {"npu": ["resnet18"]})"));
}

TEST(Best, ChoosesWhatTheNcs2Holds) {
  const auto least = [](const std::string& resident) {
    const std::string text =
        R"({"tandem": "scenario/1", "name": "one model", "profiles": ["tinker-edge-r"], "transfer": "none",
            "platform": {"name": "tinker-edge-r", "memories": [{"name": "dram"}], "units": [
                {"name": "cpu", "kind": "cpu", "memory": "dram"},
                {"name": "ncs2", "kind": "vpu", "memory": "dram", "resident_models": 1},
                {"name": "coral", "kind": "tpu", "memory": "dram"},
                {"name": "rknpu", "kind": "npu", "memory": "dram"}]}, )" +
        resident + R"("streams": [
            {"name": "a", "model": "mobilenet_v2", "count": 100, "arrival": {"type": "offline"}},
            {"name": "b", "model": "resnet50", "count": 100, "arrival": {"type": "offline"}},
            {"name": "c", "model": "resnet101", "count": 100, "arrival": {"type": "offline"}}]})";
    const JsonDocument document = JsonDocument::Parse(text, "tinker.scenario.json");
    return RunPolicy(ReadScenario(document.root()), R"({"name": "best", "evaluations": 1})").makespan();
  };
  Nanos best{INT64_MAX};
  for (const char* model : {"mobilenet_v2", "resnet50", "resnet101"}) {
    best = std::min(best, least(R"("resident": {"ncs2": [")" + std::string(model) + R"("]}, )"));
  }
  EXPECT_EQ(least(""), best);
}

// Of a request whose release is known: how long each unit takes; negative: it cannot.
struct Piece {
  Nanos release{0};
  std::array<std::int64_t, 3> micros{};
};

// The least makespan or sum of latencies of all assignments and all orders.
class BruteForce {
 public:
  BruteForce(std::vector<Piece> pieces, bool sum) : pieces_(std::move(pieces)), sum_(sum) {}
  std::int64_t Least() {
    Go(0, 0);
    return least_;
  }

 private:
  void Go(std::size_t placed, std::int64_t value) {
    if (value >= least_) return;
    if (placed == pieces_.size()) {
      least_ = value;
      return;
    }
    for (Piece& piece : pieces_) {
      if (piece.release < Nanos{0}) continue;
      const Nanos release = std::exchange(piece.release, Nanos{-1});
      for (std::size_t u = 0; u < 3; ++u) {
        if (piece.micros[u] < 0) continue;
        const Nanos before = free_[u];
        const Nanos end = std::max(before, release) + std::chrono::microseconds(piece.micros[u]);
        free_[u] = end;
        Go(placed + 1, sum_ ? value + (end - release).count() : std::max(value, end.count()));
        free_[u] = before;
      }
      piece.release = release;
    }
  }

  std::vector<Piece> pieces_;
  bool sum_;
  std::array<Nanos, 3> free_{};
  std::int64_t least_ = INT64_MAX;
};

TEST(Best, MatchesBruteForceOnSmallCases) {
  Random random(7);
  for (int round = 0; round < 8; ++round) {
    const bool sum = round % 2 == 1;
    const int small = 1 + Below(random, 4), large = 1 + Below(random, 2);
    const int gap = 50 * Below(random, 5), phase = 50 * Below(random, 8);
    const std::string streams =
        R"({"name": "a", "model": "mobilenet_v2", "count": )" + std::to_string(small) +
        R"(, "arrival": {"type": "periodic", "period_us": )" + std::to_string(1 + gap) +
        R"(}}, {"name": "b", "model": "resnet50", "count": )" + std::to_string(large) +
        R"(, "arrival": {"type": "periodic", "period_us": 100, "phase_us": )" + std::to_string(phase) + "}}";
    std::vector<Piece> pieces;
    for (int i = 0; i < small; ++i) {
      pieces.push_back({std::chrono::microseconds((1 + gap) * i), {400, 200, 100}});
    }
    for (int i = 0; i < large; ++i) {
      pieces.push_back({std::chrono::microseconds(phase + 100 * i), {4000, 1000, -1}});
    }
    const Outcome outcome = RunPolicy(ReadMini(Members(streams, sum ? "mean_latency" : "makespan")),
                                      R"({"name": "best", "evaluations": 1000})");
    std::int64_t latencies = 0;
    for (const StreamOutcome& stream : outcome.streams) {
      for (const Nanos latency : stream.latencies) latencies += latency.count();
    }
    EXPECT_EQ(sum ? latencies : outcome.last_completion.count(), BruteForce(pieces, sum).Least()) << streams;
  }
}

std::string AnyArrival(Random& random, int count) {
  const std::string end = R"(, "count": )" + std::to_string(count);
  switch (Below(random, 4)) {
    case 0:
      return R"("arrival": {"type": "offline"})" + end;
    case 1:
      return R"("arrival": {"type": "closed", "in_flight": )" + std::to_string(1 + Below(random, 3)) + "}" +
             end;
    case 2:
      return R"("arrival": {"type": "poisson", "rate_per_s": 3000})" + end;
    default:
      return R"("arrival": {"type": "periodic", "fps": 4000})" + end +
             R"(, "deadline_us": 700, "drop_late": true)";
  }
}

TEST(Best, IsNeverWorseThanAnyOther) {
  Random random(11);
  const std::array models = {"mobilenet_v2", "resnet50", "resnet18"};
  int compared = 0;
  for (int round = 0; round < 36; ++round) {
    const std::string objective(kObjectiveNames[static_cast<std::size_t>(round % 5)].name);
    const auto first = random();
    std::string streams;
    for (std::size_t s = 0; s < 2; ++s) {
      streams += s == 0 ? "" : ", ";
      streams += R"({"name": ")" + std::to_string(s) + R"(", "model": ")" + models[(first + s) % 3] + "\", " +
                 AnyArrival(random, 1 + Below(random, 12)) + "}";
    }
    std::string more = R"(, "seed": )" + std::to_string(round);
    if (round % 3 == 0) {
      more += R"(, "limits": ["streams.0.mean <= )" + std::to_string(1U << (round % 7U)) + R"( ms"])";
    }
    const Scenario scenario = ReadMini(Members(streams, objective, more));
    const ScheduleCost best = CostOf(scenario, RunPolicy(scenario, R"({"name": "best", "evaluations": 60})"));
    for (const PolicyDeclaration& policy : Policies()) {
      if (policy.name == "best" || policy.name == "given" || !policy.make || !policy.searched) continue;
      std::vector<std::string> variants = {"\"" + std::string(policy.name) + "\""};
      if (policy.variants) variants = policy.variants(scenario);
      for (const std::string& variant : variants) {
        try {
          const auto rule = CostOf(scenario, RunPolicy(scenario, variant));
          compared += policy.name == "single" ? 1 : 0;
          EXPECT_LE(std::pair(best.excess, best.value), std::pair(rule.excess, rule.value))
              << variant << " " << objective << " " << streams << more;
        } catch (const InputError&) {
          continue;  // the unit cannot run both models
        }
      }
    }
  }
  EXPECT_GT(compared, 10);
}

// One unit, a long request of 10 ms and nine short ones of 1 ms, all there from the start.
Scenario LongAndShort(const std::string& limits) {
  const std::string text =
      R"({"tandem": "scenario/1", "name": "long and short", "transfer": "none", "objective": "mean_latency",
          "platform": {"name": "one", "memories": [{"name": "m"}], "units": [{"name": "u", "kind": "npu", "memory": "m"}]},
          "profiles": [{"tandem": "profile/1", "platform": "one", "origin": {"kind": "estimated", "method": "made up"},
             "entries": [{"model": "resnet50", "unit": "u", "layers": "*", "median_us": 10000},
                         {"model": "resnet18", "unit": "u", "layers": "*", "median_us": 1000}]}],
          "streams": [{"name": "long", "model": "resnet50", "count": 1, "arrival": {"type": "offline"}},
                      {"name": "short", "model": "resnet18", "count": 9, "arrival": {"type": "offline"}}],
          "limits": [)" +
      limits + "]}";
  return ReadScenario(JsonDocument::Parse(text, "long.scenario.json").root());
}

TEST(Best, KeepsLimitsBeforeItsObjective) {
  const auto run = [](const std::string& limits) {
    const Scenario scenario = LongAndShort(limits);
    const Outcome outcome = RunPolicy(scenario, R"({"name": "best", "evaluations": 1000})");
    return std::pair(CostOf(scenario, outcome), outcome.streams[0].latencies[0]);
  };
  EXPECT_EQ(run("").second, std::chrono::milliseconds{19}) << "the short ones first";
  const auto held = run(R"("streams.long.max <= 15 ms")");
  EXPECT_EQ(held.first.excess, 0);
  EXPECT_LT(held.first.value, 14.5e6) << "better than the long one first, as a rule has it";
  const auto none = run(R"("streams.long.max <= 5 ms")");
  EXPECT_DOUBLE_EQ(none.first.excess, 1) << "as near to the limit as it gets";
  EXPECT_EQ(none.second, std::chrono::milliseconds{10});
}

// The long one first, the short ones end at 19 ms; else it is the long one that does.
TEST(Best, TellsWhichLimitCouldGiveWayAloneAndHowFar) {
  const auto relaxed = [](const std::string& limits) {
    std::vector<std::pair<std::string, double>> told;
    const Decisions found = FindBest(LongAndShort(limits), 200).front();
    for (const SearchStory::Relaxed& of : found.search->relaxed) told.emplace_back(of.limit, of.value);
    return told;
  };
  const std::vector<std::pair<std::string, double>> both = {{"streams.long.max <= 10 ms", 19e6},
                                                            {"streams.short.max <= 12 ms", 19e6}};
  EXPECT_EQ(relaxed(R"("streams.long.max <= 10 ms", "streams.short.max <= 12 ms")"), both);
  EXPECT_TRUE(relaxed(R"("streams.long.max <= 10 ms", "streams.short.max <= 19 ms")").empty())
      << "both are kept";
}

TEST(Best, SavesEnergyOnlyWhereAllOfItIsKnown) {
  Scenario scenario = ReadMini(Members(
      R"({"name": "a", "model": "mobilenet_v2", "count": 20, "arrival": {"type": "offline"}})", "energy"));
  const auto best = [&] { return RunPolicy(scenario, R"({"name": "best", "evaluations": 60})"); };
  EXPECT_NE(ErrorOf([&] { (void)best(); }).find(R"(unit "cpu" has no idle_w)"), std::string::npos);
  std::vector<Unit>& units = scenario.platform->units;
  for (Unit& unit : units) {
    unit.idle_w = 1;
    unit.busy_w = 30;
  }
  units[2].busy_w = 2;
  const double least = CostOf(scenario, best()).value;
  for (const char* rule : {R"("fcfs")", R"("eft")", R"({"name": "single", "unit": "npu"})"}) {
    EXPECT_LE(least, CostOf(scenario, RunPolicy(scenario, rule)).value) << rule;
  }
  units[0].busy_w.reset();
  EXPECT_NE(ErrorOf([&] { (void)best(); }).find(R"(unit "cpu" has no busy_w)"), std::string::npos)
      << "that the others are known does not make them the best";
}

TEST(Best, IsTheSameEveryTime) {
  const Scenario scenario = ReadMini(Members(
      R"({"name": "a", "model": "mobilenet_v2", "count": 30, "arrival": {"type": "poisson", "rate_per_s": 9000}},
         {"name": "b", "model": "resnet50", "count": 9, "arrival": {"type": "offline"}})",
      "mean_latency"));
  const std::string policy = R"({"name": "best", "evaluations": 200})";
  const Outcome once = RunPolicy(scenario, policy), again = RunPolicy(scenario, policy);
  for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(once.streams[s].latencies, again.streams[s].latencies);
}

}  // namespace
}  // namespace tandem
