// Does the difference of two profiles name what moved beyond its noise, and leave the rest alone?
#include "profiles/costs/profile_diff.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

Timing Sampled(std::int64_t from, std::int64_t step = 1) {
  std::vector<Nanos> samples;
  for (std::int64_t i = 0; i < 10; ++i) samples.emplace_back(from + i * step);
  return Timing::OfSamples(samples);
}

CostEntry EntryOf(const std::string& name, const Timing& time) {
  CostEntry entry;
  entry.model = "resnet50";
  entry.unit = "gpu";
  entry.layers = {name};
  entry.time = time;
  return entry;
}

const ProfileDiffRow& Find(const std::vector<ProfileDiffRow>& rows, const std::string& what) {
  for (const ProfileDiffRow& row : rows) {
    if (row.what == what) return row;
  }
  throw std::out_of_range(what);
}

TEST(ProfileDiffs, NameWhatMovedBeyondItsNoise) {
  Profile before, after;
  before.entries = {EntryOf("a", Sampled(1000)), EntryOf("b", Sampled(1000, 50)),
                    EntryOf("c", Sampled(2000))};
  after.entries = {EntryOf("a", Sampled(1020)), EntryOf("b", Sampled(1020, 50)), EntryOf("c", Sampled(1900))};
  const auto rows = DiffProfiles(before, after);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].what, "resnet50, a");
  EXPECT_EQ(rows[0].move, TimeMove::kSlower);
  EXPECT_EQ(rows[1].what, "resnet50, c");
  EXPECT_EQ(rows[1].move, TimeMove::kFaster);
  EXPECT_NEAR(*rows[1].Change(), 1904.0 / 2004 - 1, 1e-12);
  EXPECT_EQ(rows[2].move, TimeMove::kSame) << "as much slower as a, within its noise";
}

TEST(ProfileDiffs, FewSamplesOfManyLayersTellWhatIsFarAway) {
  Profile before, after;
  const auto five = [](std::int64_t at) {
    return Timing::OfSamples({Nanos{at - 9}, Nanos{at - 4}, Nanos{at}, Nanos{at + 5}, Nanos{at + 8}});
  };
  for (std::int64_t i = 0; i < 200; ++i) {
    const std::string name = "layer" + std::to_string(i);
    before.entries.push_back(EntryOf(name, five(1000 + i)));
    after.entries.push_back(EntryOf(name, five(1003 + i + (i == 70 ? 200 : 0))));
  }
  const auto rows = DiffProfiles(before, after);
  EXPECT_EQ(rows[0].what, "resnet50, layer70");
  EXPECT_EQ(rows[0].move, TimeMove::kSlower);
  EXPECT_EQ(rows[1].move, TimeMove::kSame);
}

TEST(ProfileDiffs, WhatMovedByLessThanAskedForIsNotTold) {
  Profile before, after;
  before.entries = {EntryOf("a", Sampled(1000)), EntryOf("b", Sampled(1000))};
  after.entries = {EntryOf("a", Sampled(1020)), EntryOf("b", Sampled(1100))};
  const auto rows = DiffProfiles(before, after, 0.05);
  EXPECT_EQ(Find(rows, "resnet50, a").move, TimeMove::kSame);
  EXPECT_EQ(Find(rows, "resnet50, b").move, TimeMove::kSlower);
}

TEST(ProfileDiffs, CopiesUnitsAndLoadsCountToo) {
  Profile before, after;
  before.transfers = {{"dram", "vram", 1024, Sampled(100)}};
  after.transfers = {{"dram", "vram", 1024, Sampled(200)}};
  before.dispatch = {{"gpu", Sampled(10), false}};
  after.dispatch = {{"gpu", Sampled(30), false}};
  before.loads = {{"resnet50", "gpu", {}, Sampled(5000)}};
  after.loads = {{"resnet50", "gpu", {}, Sampled(4000)}};
  const auto rows = DiffProfiles(before, after);
  EXPECT_EQ(Find(rows, "1024 bytes").move, TimeMove::kSlower);
  EXPECT_EQ(Find(rows, "1024 bytes").unit, "dram to vram");
  EXPECT_EQ(Find(rows, "a task").kind, "dispatch");
  EXPECT_EQ(Find(rows, "resnet50").move, TimeMove::kFaster);
}

TEST(ProfileDiffs, MediansAloneAreUntested) {
  Profile before, after;
  before.entries = {EntryOf("a", {Nanos{1000}, {}}), EntryOf("b", {Nanos{1000}, {}})};
  after.entries = {EntryOf("a", {Nanos{5000}, {}}), EntryOf("b", {Nanos{1000}, {}})};
  const auto rows = DiffProfiles(before, after);
  EXPECT_EQ(Find(rows, "resnet50, a").move, TimeMove::kUntested);
  EXPECT_FALSE(Find(rows, "resnet50, a").p);
  EXPECT_EQ(Find(rows, "resnet50, b").move, TimeMove::kSame);
}

TEST(ProfileDiffs, WhatOneOfThemLacksIsToldToo) {
  Profile before, after;
  before.entries = {EntryOf("a", Sampled(1))};
  after.entries = {EntryOf("b", Sampled(1))};
  const auto rows = DiffProfiles(before, after);
  EXPECT_EQ(Find(rows, "resnet50, a").move, TimeMove::kGone);
  EXPECT_EQ(Find(rows, "resnet50, b").move, TimeMove::kNew);
}

TEST(ProfileDiffs, VariantsAndBatchesAreTimesOfTheirOwn) {
  Profile profile;
  profile.entries = {EntryOf("a", Sampled(1)), EntryOf("a", Sampled(2)), EntryOf("a", Sampled(3))};
  profile.entries[1].batch = 4;
  profile.entries[2].variant = {"cudnn", "fp16"};
  const auto rows = DiffProfiles(profile, profile);
  ASSERT_EQ(rows.size(), 3U);
  for (const ProfileDiffRow& row : rows) EXPECT_EQ(row.move, TimeMove::kSame) << row.what;
}

// Of many layers of which none moved, hardly one may be told: here the noise alone would give some with p
// below 0.05.
TEST(ProfileDiffs, ManyComparisonsFindNothingWhereNothingIs) {
  Profile before, after;
  std::uint64_t state = 1;
  const auto noisy = [&state] {
    std::vector<Nanos> samples;
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      samples.emplace_back(100000 + static_cast<std::int64_t>(state >> 50));
    }
    return Timing::OfSamples(samples);
  };
  for (int i = 0; i < 300; ++i) {
    before.entries.push_back(EntryOf("layer" + std::to_string(i), noisy()));
    after.entries.push_back(EntryOf("layer" + std::to_string(i), noisy()));
  }
  int low = 0, moved = 0;
  for (const ProfileDiffRow& row : DiffProfiles(before, after)) {
    low += *row.p < 0.05 ? 1 : 0;
    moved += row.move == TimeMove::kSame ? 0 : 1;
  }
  EXPECT_GT(low, 0);
  EXPECT_EQ(moved, 0);
}

}  // namespace
}  // namespace tandem
