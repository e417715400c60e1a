// Are requests released exactly when semantics.md says, whatever else the scenario holds?
#include "scenarios/arrivals/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "profiles/base/input_error.h"
#include "tests/support/variable.h"

namespace tandem {
namespace {

Stream StreamOf(Arrival arrival, Until until, std::string name = "s") {
  Stream stream;
  stream.name = std::move(name);
  stream.arrival = std::move(arrival);
  stream.until = until;
  return stream;
}

std::vector<std::int64_t> Releases(const Stream& stream, std::uint64_t seed = 1) {
  std::vector<std::int64_t> releases;
  ReleaseTimes times(stream, seed);
  while (const auto release = times.Next()) releases.push_back(release->count());
  return releases;
}

using Times = std::vector<std::int64_t>;

// A frame rate in millionths of a frame per second, not reduced.
PeriodicArrival Fps(std::int64_t micro_fps) { return {1000000000000000, micro_fps, Nanos{0}, Nanos{0}}; }

TEST(Arrivals, OfflineRequestsAreAllThereAtZero) {
  EXPECT_EQ(Releases(StreamOf(OfflineArrival{}, {3, Nanos{0}})), Times({0, 0, 0}));
}

TEST(Arrivals, PeriodsAreRoundedPerFrameSoThatTheyNeverDrift) {
  const auto releases = Releases(StreamOf(Fps(60000000), {601, Nanos{0}}));
  EXPECT_EQ(releases[1], 16666667);
  EXPECT_EQ(releases[2], 33333333);
  EXPECT_EQ(releases[3], 50000000);
  EXPECT_EQ(releases[600], 10000000000);
}

TEST(Arrivals, FractionalFrameRatesAreExactToo) {
  const auto releases = Releases(StreamOf(Fps(29970000), {2998, Nanos{0}}));
  for (std::int64_t k = 0; k < 2998; ++k) {
    // round(k * 1e9 / 29.97) = floor((2 k 1e11 + 2997) / (2 * 2997))
    EXPECT_EQ(releases[static_cast<std::size_t>(k)], (2 * k * 100000000000 + 2997) / (2 * 2997)) << k;
  }
}

TEST(Arrivals, AHalfNanosecondIsRoundedUp) {
  EXPECT_EQ(Releases(StreamOf(PeriodicArrival{5, 2, Nanos{0}, Nanos{0}}, {4, Nanos{0}})),
            Times({0, 3, 5, 8}));
}

TEST(Arrivals, DurationHoldsReleasesFromThePhaseToBeforeTheEnd) {
  const PeriodicArrival periodic{10, 1, Nanos{5}, Nanos{0}};
  EXPECT_EQ(Releases(StreamOf(periodic, {0, Nanos{25}})), Times({5, 15}));
  EXPECT_EQ(Releases(StreamOf(periodic, {0, Nanos{26}})), Times({5, 15, 25}));
}

TEST(Arrivals, JitterDelaysEachFrameByItselfAtMost) {
  const auto releases = Releases(StreamOf(PeriodicArrival{1000, 1, Nanos{0}, Nanos{100}}, {1000, Nanos{0}}));
  std::int64_t most = 0, least = 100;
  for (std::size_t k = 0; k < releases.size(); ++k) {
    const std::int64_t late = releases[k] - static_cast<std::int64_t>(k) * 1000;
    ASSERT_GE(late, 0);
    ASSERT_LE(late, 100);
    most = std::max(most, late);
    least = std::min(least, late);
  }
  EXPECT_LE(least, 1);
  EXPECT_GE(most, 99);
}

TEST(Arrivals, JitterBeyondThePeriodStillReleasesInOrderAndLosesNone) {
  const auto releases = Releases(StreamOf(PeriodicArrival{10, 1, Nanos{0}, Nanos{500}}, {2000, Nanos{0}}));
  EXPECT_EQ(releases.size(), 2000U);
  EXPECT_TRUE(std::is_sorted(releases.begin(), releases.end()));
}

TEST(Arrivals, JitterNeverMovesAReleaseBeyondTheDuration) {
  const auto releases = Releases(StreamOf(PeriodicArrival{10, 1, Nanos{0}, Nanos{100}}, {0, Nanos{1000}}));
  ASSERT_FALSE(releases.empty());
  EXPECT_LT(releases.back(), 1000);
}

TEST(Arrivals, PoissonHasTheGapsOfItsRate) {
  const auto releases = Releases(StreamOf(PoissonArrival{1000}, {100000, Nanos{0}}));
  double squares = 0;
  for (std::size_t k = 0; k < releases.size(); ++k) {
    const double gap = static_cast<double>(releases[k] - (k == 0 ? 0 : releases[k - 1])) / 1e6;
    ASSERT_GE(gap, 0);
    squares += gap * gap;
  }
  const double mean = static_cast<double>(releases.back()) / 1e6 / 1e5;
  EXPECT_NEAR(mean, 1, 0.015);
  EXPECT_NEAR(squares / 1e5 - mean * mean, 1, 0.05);
}

// Release for release, for ever: the same on every compiler and processor.
TEST(Arrivals, PoissonReleasesAreTheGoldenOnes) {
  EXPECT_EQ(Releases(StreamOf(PoissonArrival{30}, {6, Nanos{0}}, "camera"), 42),
            Times({36427515, 53762807, 68088886, 76111867, 95754237, 103411266}));
}

TEST(Arrivals, JitteredReleasesAreTheGoldenOnes) {
  EXPECT_EQ(
      Releases(StreamOf(PeriodicArrival{100000000, 3, Nanos{1000}, Nanos{500000}}, {4, Nanos{0}}, "camera"),
               42),
      Times({333366, 33537090, 66842342, 100107957}));
}

TEST(Arrivals, SeedAndNameAloneDecide) {
  const Until until{50, Nanos{0}};
  const auto camera = Releases(StreamOf(PoissonArrival{30}, until, "camera"), 1);
  EXPECT_EQ(camera, Releases(StreamOf(PoissonArrival{30}, until, "camera"), 1));
  EXPECT_NE(camera, Releases(StreamOf(PoissonArrival{30}, until, "lidar"), 1));
  EXPECT_NE(camera, Releases(StreamOf(PoissonArrival{30}, until, "camera"), 2));
}

TEST(Arrivals, BothLimitsOfLoadgenMustBeMet) {
  const auto by_count = Releases(StreamOf(PoissonArrival{1e6}, {5000, Nanos{1000}}));
  EXPECT_EQ(by_count.size(), 5000U);
  const auto by_date = Releases(StreamOf(PoissonArrival{1e6}, {10, Nanos{10000000}}));
  EXPECT_NEAR(static_cast<double>(by_date.size()), 1e4, 400);
  EXPECT_LT(by_date.back(), 10000000);
}

TEST(Arrivals, TracesAreFollowedToTheirLimit) {
  TraceArrival trace;
  trace.times = std::make_shared<const std::vector<Nanos>>(std::vector<Nanos>{Nanos{1}, Nanos{1}, Nanos{7}});
  EXPECT_EQ(Releases(StreamOf(trace, {3, Nanos{0}})), Times({1, 1, 7}));
  EXPECT_EQ(Releases(StreamOf(trace, {2, Nanos{0}})), Times({1, 1}));
  EXPECT_EQ(Releases(StreamOf(trace, {0, Nanos{7}})), Times({1, 1}));
}

TEST(Arrivals, DependencyDrawsDoNotDependOnTheOrderOfAsking) {
  const Stream stream = StreamOf(DependentArrival{StreamId(0), 0.5}, {});
  DependencyDraws forward(stream, 1), backward(stream, 1);
  std::vector<bool> there(1000);
  for (int k = 999; k >= 0; --k) there[static_cast<std::size_t>(k)] = backward.Exists(k);
  int count = 0;
  for (int k = 0; k < 1000; ++k) {
    EXPECT_EQ(forward.Exists(k), there[static_cast<std::size_t>(k)]) << k;
    count += there[static_cast<std::size_t>(k)] ? 1 : 0;
  }
  EXPECT_NEAR(count, 500, 60);
}

TEST(Arrivals, ProbabilitiesZeroAndOneAreCertain) {
  DependencyDraws never(StreamOf(DependentArrival{StreamId(0), 0}, {}), 1);
  DependencyDraws always(StreamOf(DependentArrival{StreamId(0), 1}, {}), 1);
  for (int k = 0; k < 1000; ++k) {
    EXPECT_FALSE(never.Exists(k));
    EXPECT_TRUE(always.Exists(k));
  }
}

TEST(RequestCount, CountsWhatTheGeneratorsRelease) {
  const std::vector<Stream> streams = {StreamOf(OfflineArrival{}, {100, Nanos{0}}, "a"),
                                       StreamOf(Fps(30000000), {0, Nanos{1000000000}}, "b"),
                                       StreamOf(PoissonArrival{1000}, {0, Nanos{1000000000}}, "c"),
                                       StreamOf(ClosedArrival{1, 8}, {10, Nanos{0}}, "d"),
                                       StreamOf(ClosedArrival{2, 1}, {0, Nanos{1000}}, "e")};
  const auto counts = CountRequests(streams, 1);
  EXPECT_EQ(counts[0].count, 100);
  EXPECT_EQ(counts[1].count, 30);
  EXPECT_EQ(counts[2].count, static_cast<std::int64_t>(Releases(streams[2]).size()));
  EXPECT_EQ(counts[3].count, 80);
  EXPECT_EQ(counts[3].certainty, Certainty::kExact);
  EXPECT_EQ(counts[4].certainty, Certainty::kAtLeast);
}

TEST(RequestCount, ADependentOfADependentNeedsBoth) {
  const std::vector<Stream> streams = {StreamOf(OfflineArrival{}, {1000, Nanos{0}}, "a"),
                                       StreamOf(DependentArrival{StreamId(0), 0.5}, {}, "b"),
                                       StreamOf(DependentArrival{StreamId(1), 0.5}, {}, "c")};
  DependencyDraws b(streams[1], 9), c(streams[2], 9);
  std::int64_t both = 0;
  for (int k = 0; k < 1000; ++k) both += b.Exists(k) && c.Exists(k) ? 1 : 0;
  const auto counts = CountRequests(streams, 9);
  EXPECT_EQ(counts[2].count, both);
  EXPECT_NEAR(static_cast<double>(both), 250, 45);
}

TEST(RequestCount, HugeStreamsAreEstimatedInsteadOfCounted) {
  const auto counts = CountRequests({StreamOf(Fps(1000000000000), {0, Nanos{1000000000000}})}, 1);
  EXPECT_EQ(counts[0].certainty, Certainty::kAbout);
  EXPECT_EQ(counts[0].count, 1000000000);
}

TEST(RequestCount, ManyStreamsShareTheWorkOfCounting) {
  std::vector<Stream> streams = {StreamOf(OfflineArrival{}, {20'000, Nanos{0}}, "root")};
  for (std::size_t i = 0; i < 40; ++i) {
    streams.push_back(StreamOf(DependentArrival{StreamId(i), 0.0}, {}, "s" + std::to_string(i)));
  }
  const auto counts = CountRequests(streams, 1);
  EXPECT_EQ(counts[1].certainty, Certainty::kExact);
  EXPECT_EQ(counts[40].certainty, Certainty::kAbout);
}

TEST(RequestCount, TheMostOfARunIsWhatTheEnvironmentSays) {
  EXPECT_EQ(MostRequests(), 268435456);
  {
    const Variable most("TANDEM_MOST_REQUESTS", "2000000000");
    EXPECT_EQ(MostRequests(), 2000000000);
  }
  for (const char* wrong : {"0", "-1", "many", "5x", "2147483649", "99999999999999999999"}) {
    const Variable most("TANDEM_MOST_REQUESTS", wrong);
    EXPECT_THROW(MostRequests(), EnvironmentError) << wrong;
  }
}

}  // namespace
}  // namespace tandem
