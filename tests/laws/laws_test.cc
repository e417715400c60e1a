// Do the laws hold of random scenarios, and of those of which they once did not; and is one of which a law
// does not hold made small?
#include "tests/laws/laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "profiles/base/input_error.h"
#include "scenarios/arrivals/arrivals.h"
#include "tests/laws/shrink.h"
#include "tests/support/random_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/sanitized.h"
#include "tests/support/small_scenario.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class Laws : public testing::TestWithParam<int> {};

constexpr int kGroups = 20, kInGroup = kSanitized ? 10 : 100, kFurtherInGroup = kSanitized ? 5 : 25;

TEST_P(Laws, HoldOfRandomScenarios) {
  int runs = 0;
  for (int i = 0; i < kInGroup; ++i) {
    const auto seed = static_cast<std::uint64_t>(10000 + GetParam() * kInGroup + i);
    const LawTrial trial = TryLaws(RandomScenario(seed, DrawnInTurn(seed)));
    EXPECT_EQ(trial.broken, "") << "seed " << seed << "; scripts/laws " << seed << " 1 makes it small";
    runs += trial.runs;
  }
  EXPECT_GT(runs, 4 * kInGroup);
}

// Arrival times from files, limits and clock states.
TEST_P(Laws, HoldOfWhatCameToBeDrawnLater) {
  int runs = 0;
  for (int i = 0; i < kFurtherInGroup; ++i) {
    const auto seed = kFurtherSeeds + static_cast<std::uint64_t>(GetParam() * kFurtherInGroup + i);
    const LawTrial trial = TryLaws(RandomScenario(seed, DrawnInTurn(seed)));
    EXPECT_EQ(trial.broken, "") << "seed " << seed << "; scripts/laws " << seed << " 1 makes it small";
    runs += trial.runs;
  }
  EXPECT_GT(runs, 2 * kFurtherInGroup);
}
INSTANTIATE_TEST_SUITE_P(Group, Laws, testing::Range(0, kGroups));

TEST(LawsSeeds, DrawTimesFromFilesLimitsAndClockStatesFromOneOn) {
  constexpr int kDrawn = 200;
  int times = 0, limits = 0, energy = 0, states = 0, slow = 0, before = 0;
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    const Scenario drawn = RandomScenario(kFurtherSeeds + i, DrawnInTurn(kFurtherSeeds + i));
    const auto has = [&](auto of) { return std::any_of(drawn.streams.begin(), drawn.streams.end(), of); };
    times += has([](const Stream& s) { return std::holds_alternative<TraceArrival>(s.arrival); });
    limits += !drawn.limits.empty();
    energy += std::any_of(drawn.limits.begin(), drawn.limits.end(),
                          [](const ConditionTerm& term) { return term.IsOfEnergy(); });
    states += std::any_of(drawn.platform->units.begin(), drawn.platform->units.end(),
                          [](const Unit& unit) { return !unit.states.empty(); });
    slow += std::any_of(drawn.units.begin(), drawn.units.end(),
                        [](const UnitUse& use) { return use.variant && use.variant->name == "slow"; });
    before += !RandomScenario(i, DrawnInTurn(i)).limits.empty();
  }
  for (const int of_each : {times, limits, energy, states, slow}) EXPECT_GT(of_each, kDrawn / 10);
  EXPECT_EQ(before, 0);
}

// Do slots that share their unit's time copy at once?
class CopiesAtOnce final : public SpanSink {
 public:
  explicit CopiesAtOnce(const Platform& platform) : platform_(platform) {}
  void Add(const Span& span) override {
    if (span.kind != SpanKind::kTransfer || span.unit.index() >= platform_.units.size()) return;
    if (!platform_.unit(span.unit).time_shared) return;
    for (const Span& other : copies_) {
      met_ = met_ || (other.unit == span.unit && other.slot != span.slot && other.end > span.start);
    }
    copies_.push_back(span);  // in the order of their ends
  }
  void Ended(const RequestEnd&) override {}
  bool met() const { return met_; }

 private:
  const Platform& platform_;
  std::vector<Span> copies_;
  bool met_ = false;
};

TEST(LawsSeeds, DrawCopiesAtOnceOfSlotsThatShareTheirUnitsTime) {
  constexpr std::uint64_t kDrawn = 200;
  int met = 0;
  for (std::uint64_t seed = kFurtherSeeds; seed < kFurtherSeeds + kDrawn; ++seed) {
    const Scenario drawn = RandomScenario(seed, DrawnInTurn(seed));
    CopiesAtOnce copies(*drawn.platform);
    RunOptions options;
    options.spans = &copies;
    try {
      RunPolicy(drawn, R"("fcfs")", options);
    } catch (const InputError&) {  // there is no room for it, or nobody comes back
      continue;
    }
    met += copies.met() ? 1 : 0;
  }
  EXPECT_GT(met, 10);
}

TEST(LawsOfBounds, EveryFigureIsHeldToItsOwn) {
  constexpr std::uint64_t kTried = kSanitized ? 10 : 40;
  int bounded = 0;
  for (std::uint64_t seed = 0; seed < kTried; ++seed) {
    const LawTrial trial = TryLaws(RandomScenario(seed));
    EXPECT_EQ(trial.broken, "") << "seed " << seed;
    bounded += trial.bounded;
  }
  EXPECT_GT(static_cast<std::uint64_t>(bounded), 4 * kTried);
}

TEST(LawsOfBounds, ARunThatIsBetterThanABoundIsFound) {
  SmallScenario small({1});
  small.AddStream(small.AddModel({{10}}), 2);
  const Scenario scenario = small.Build();
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  const auto said = [&](const Bound& bound) {
    LawTrial trial;
    return BeatsBound(scenario, outcome, bound, trial);
  };
  Bound bound;
  bound.makespan = std::chrono::microseconds{20};
  bound.mean_latency = std::chrono::microseconds{15};
  bound.p99_latency = std::chrono::microseconds{20};
  bound.inferences = 2;
  EXPECT_EQ(said(bound), "");
  bound.p99_latency = Nanos{20'001};
  EXPECT_EQ(said(bound), " has a p99_latency of 20000.000000, better than the bound of 20001.000000");
  bound.p99_latency = Nanos{20'000};
  bound.mean_latency = Nanos{15'001};
  EXPECT_NE(said(bound).find("mean_latency"), std::string::npos) << said(bound);
  bound.mean_latency = Nanos{15'000};
  bound.inferences = 1;
  EXPECT_NE(said(bound).find("throughput"), std::string::npos) << said(bound);
}

// Else no law holds any rule against it.
TEST(LawsOfTheSearch, AskItAsOftenAsTheyAreTold) {
  constexpr std::uint64_t kTried = kSanitized ? 8 : 24;
  int asked = 0, usual = 0;
  for (std::uint64_t seed = 1; seed < kTried; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const LawTrial trial = TryLaws(scenario, 1);
    EXPECT_EQ(trial.broken, "") << "seed " << seed;
    asked += trial.searched;
    usual += TryLaws(scenario).searched;
  }
  EXPECT_GT(asked, 0);
  EXPECT_LT(usual, asked);
}

// Else no law holds anything to what is proved of longest latencies.
TEST(LawsOfProofs, SomethingIsProvedOfMostScenariosThatAreDrawnForThem) {
  constexpr int kTried = kSanitized ? 20 : 60;
  int of = 0, proved = 0;
  for (std::uint64_t seed = 0; seed < kTried; ++seed) {
    const LawTrial trial = TryLaws(RandomScenario(seed, Drawn::kProvable));
    EXPECT_EQ(trial.broken, "") << "seed " << seed;
    of += trial.proved > 0 ? 1 : 0;
    proved += trial.proved;
  }
  EXPECT_GT(of, kTried / 2);
  EXPECT_GT(proved, 2 * kTried);
}

// The same where units share cores, and where lower tasks copy. In the last one a copy is longer than all
// that was proved when it did not count.
TEST(LawsOfProofs, HoldWhereUnitsShareCoresAndCopy) {
  constexpr std::uint64_t kTried = kSanitized ? 20 : 100, kLongCopy = kSharedSeeds + 1241;
  std::vector<std::uint64_t> seeds = {kLongCopy};
  for (std::uint64_t i = 0; i < kTried; ++i) seeds.push_back(kSharedSeeds + i);
  int beside = 0, proved = 0;
  for (const std::uint64_t seed : seeds) {
    const LawTrial trial = TryLaws(RandomScenario(seed, DrawnInTurn(seed)));
    EXPECT_EQ(trial.broken, "") << "seed " << seed << "; scripts/laws " << seed << " 1 makes it small";
    beside += trial.beside;
    proved += trial.proved;
  }
  EXPECT_GT(static_cast<std::uint64_t>(proved), 4 * kTried);
  EXPECT_GT(static_cast<std::uint64_t>(beside), kTried);
}

TEST(LawsFound, HoldNow) {
  const fs::path found = fs::path(TANDEM_TEST_DIR) / "laws" / "found";
  if (!fs::exists(found)) return;
  for (const auto& folder : fs::directory_iterator(found)) {
    EXPECT_EQ(TryLaws(ReadScenarioFile((folder.path() / "random.scenario.json").string())).broken, "")
        << folder.path();
  }
}

TEST(LawsBroken, LeaveTheSmallestScenario) {
  const TempFolder folder;
  std::uint64_t seed = 0;
  const auto drops = [](const Scenario& scenario) {
    return std::any_of(scenario.streams.begin(), scenario.streams.end(),
                       [](const Stream& s) { return s.drop_late && IsOpen(s); });
  };
  while (!drops(RandomScenario(seed)) || RandomScenario(seed).streams.size() < 3) ++seed;
  WriteRandomScenario(seed, folder.string());
  Shrink(folder, drops);
  const Scenario small = ReadScenarioFile((folder / "random.scenario.json").string());
  EXPECT_TRUE(drops(small));
  EXPECT_EQ(small.streams.size(), 1U);
  EXPECT_EQ(small.platform->units.size(), 1U);
  EXPECT_LE(small.streams[0].until.count, 1);
  EXPECT_EQ(small.platform->memories.size(), 1U);
}

}  // namespace
}  // namespace tandem
