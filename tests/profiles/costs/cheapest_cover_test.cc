// Is the cheapest cover really the cheapest, and found without trying everything?
#include "profiles/costs/cheapest_cover.h"

#include <gtest/gtest.h>

#include <random>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

CoverGroup Group(std::vector<std::int32_t> members, std::int64_t time, std::optional<double> energy = 0.0) {
  return {std::move(members), {Nanos{time}, energy, 1}};
}

// Every subset of the groups, the yardstick.
std::optional<Nanos> ByBruteForce(std::size_t size, const std::vector<CoverGroup>& groups) {
  std::optional<Nanos> best;
  for (std::uint32_t chosen = 0; chosen < (1u << groups.size()); ++chosen) {
    std::vector<int> times_covered(size);
    Nanos sum{0};
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (((chosen >> g) & 1) == 0) continue;
      sum += groups[g].cost.time;
      for (const std::int32_t member : groups[g].members) ++times_covered[static_cast<std::size_t>(member)];
    }
    if (times_covered == std::vector<int>(size, 1) && (!best || sum < *best)) best = sum;
  }
  return best;
}

TEST(SegmentCover, EqualsBruteForceOnRandomGroups) {
  std::mt19937_64 bits(7);
  int covered = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t size = 1 + bits() % 7;
    std::vector<CoverGroup> groups;
    for (std::size_t count = bits() % 11; count > 0; --count) {
      const std::uint64_t chosen = 1 + bits() % ((1u << size) - 1);
      std::vector<std::int32_t> members;
      for (std::size_t member = 0; member < size; ++member) {
        if ((chosen >> member) & 1) members.push_back(static_cast<std::int32_t>(member));
      }
      groups.push_back(Group(members, static_cast<std::int64_t>(bits() % 20)));
    }
    std::vector<std::size_t> chosen;
    const auto cover = CheapestCover(size, groups, &chosen);
    const auto expected = ByBruteForce(size, groups);
    ASSERT_EQ(cover.has_value(), expected.has_value()) << "round " << round;
    if (!cover) continue;
    ++covered;
    EXPECT_EQ(cover->time, *expected) << "round " << round;
    Nanos sum{0};
    std::size_t members = 0;
    for (const std::size_t group : chosen) {
      sum += groups[group].cost.time;
      members += groups[group].members.size();
    }
    EXPECT_EQ(sum, cover->time) << "round " << round;
    EXPECT_EQ(members, size) << "round " << round;
  }
  EXPECT_GT(covered, 100);
  EXPECT_LT(covered, 390);
}

TEST(SegmentCover, EqualTimesPreferFewerEntriesThenLessEnergy) {
  const auto fewer = CheapestCover(2, {Group({0}, 5), Group({1}, 5), Group({0, 1}, 10)});
  EXPECT_EQ(fewer->entries, 1);
  const auto less = CheapestCover(1, {Group({0}, 5, 3.0), Group({0}, 5, 2.0), Group({0}, 5, std::nullopt)});
  EXPECT_EQ(less->energy_j, 2.0);
}

TEST(SegmentCover, EnergyIsUnknownWhereOnePartIs) {
  EXPECT_EQ(CheapestCover(2, {Group({0}, 1, 0.5), Group({1}, 1, 0.25)})->energy_j, 0.75);
  EXPECT_FALSE(CheapestCover(2, {Group({0}, 1, 0.5), Group({1}, 1, std::nullopt)})->energy_j);
}

TEST(SegmentCover, AllRunsOfALongChainAreSearchedQuickly) {
  std::vector<CoverGroup> groups;  // a run of k layers costs 10 k + 7: one run of all is the cheapest
  for (std::int32_t first = 0; first < 60; ++first) {
    std::vector<std::int32_t> members;
    for (std::int32_t last = first; last < 60; ++last) {
      members.push_back(last);
      if (members.size() < 60) groups.push_back(Group(members, 10 * (last - first + 1) + 7));
    }
  }
  const auto cover = CheapestCover(60, groups);
  EXPECT_EQ(cover->time, Nanos{614});
  EXPECT_EQ(cover->entries, 2);
}

TEST(SegmentCover, ThousandsOfSingleLayersAreNoSearch) {
  std::vector<CoverGroup> groups;
  for (std::int32_t layer = 0; layer < 5000; ++layer) groups.push_back(Group({layer}, 3));
  EXPECT_EQ(CheapestCover(5000, groups)->time, Nanos{15000});
}

TEST(SegmentCover, GroupsThatOverlapWithoutEndAreRefused) {
  std::vector<CoverGroup> groups;  // all pairs of 40 layers
  for (std::int32_t a = 0; a < 40; ++a) {
    for (std::int32_t b = a + 1; b < 40; ++b) groups.push_back(Group({a, b}, a * b % 17));
  }
  EXPECT_THROW(CheapestCover(40, groups), InputError);
}

}  // namespace
}  // namespace tandem
