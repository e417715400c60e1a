// Is what was measured turned into a profile and a summary without loss or invention?
#include "device/profiler/samples/result.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "device/profiler/samples/statistics.h"
#include "profiles/base/json_text.h"

namespace tandem {
namespace {

std::vector<Nanos> Around(std::int64_t micros) {
  std::vector<Nanos> samples;
  for (std::int64_t i = -5; i <= 5; ++i) samples.emplace_back(micros * 1000 + i);
  return samples;
}

void Put(ProfilerSamples& samples, ProfileCut cut, ProfileManner manner, std::vector<SampledPart> parts) {
  SampleSource source;
  source.model = {"resnet18", 1};
  source.unit = "cpu";
  source.cut = cut;
  source.manner = manner;
  samples.sources[source] = {std::move(parts), true};
}

// 100 us whole; inside 40 + 5 (a change of layout) + 50; in groups 60 + 70; cold 180.
ProfilerSamples Measured() {
  ProfilerSamples samples;
  samples.request = UINT64_MAX;
  samples.host = "h";
  samples.libraries = {{"tandem", "1"}};
  Put(samples, ProfileCut::kWhole, ProfileManner::kWarm, {{{}, Around(100)}});
  Put(samples, ProfileCut::kWhole, ProfileManner::kCold, {{{}, Around(180)}});
  Put(samples, ProfileCut::kWhole, ProfileManner::kInside,
      {{{"b", "a"}, Around(40)}, {{}, Around(5)}, {{"c"}, Around(50)}});
  Put(samples, ProfileCut::kGroups, ProfileManner::kWarm, {{{"a", "b"}, Around(60)}, {{"c"}, Around(70)}});
  Put(samples, ProfileCut::kLayers, ProfileManner::kWarm,
      {{{"a"}, Around(50)}, {{"b"}, Around(20)}, {{"c"}, Around(71)}});
  samples.loads.push_back({"resnet18", "cpu", {}, Timing::OfSamples({Nanos{5000}})});
  samples.traffic.push_back({"resnet18", {}, "cpu", 1e9});
  samples.together.push_back({"cpu", "resnet18", {}, {"gpu", "npu"}, 0.95, 0.02});
  samples.pairs = {{"cpu", "m", "gpu", "n", 1.25, 1.0}, {"gpu", "n", "cpu", "m", 1.0, 1.01}};
  samples.finished = {"curve cpu resnet18 gpu"};
  return samples;
}

TEST(ProfilerResult, EntriesHaveTheirMedianAndWhatElseWasMeasuredOfThem) {
  Profile profile;
  FillProfile(Measured(), 0.01, profile);
  ASSERT_EQ(profile.entries.size(), 5U);  // a layer that is a group was measured as that
  const CostEntry& whole = profile.entries[0];
  EXPECT_TRUE(whole.layers.empty());
  EXPECT_EQ(whole.time.median, Nanos{100'000});
  EXPECT_EQ(whole.cold, Nanos{180'000});
  EXPECT_FALSE(whole.inside);
  const CostEntry& group = profile.entries[1];
  EXPECT_EQ(group.layers, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(group.inside, Nanos{42'105}) << "a step may list its layers in another order; 40 of 95, of 100";
  EXPECT_EQ(profile.entries[2].time.median, Nanos{70'000});
  EXPECT_EQ(profile.entries[4].layers, std::vector<std::string>{"b"});
  EXPECT_FALSE(profile.entries[4].inside) << "it is no step of its own";
  EXPECT_EQ(profile.loads.size(), 1U);
  EXPECT_EQ(profile.traffic.size(), 1U);
  EXPECT_EQ(profile.together, Measured().together);
}

TEST(ProfilerResult, WhoWaitsIsToldWhatIsKnownSoFar) {
  EXPECT_EQ(KnownSoFar({}), std::vector<std::string>());
  EXPECT_EQ(KnownSoFar(Measured()), (std::vector<std::string>{"resnet18 on cpu: 0.100 ms +-0.0 % of 11 runs",
                                                              "1 slowdown beside others"}));
}

TEST(ProfilerResult, TheSummarySetsTheSumsAgainstTheWhole) {
  const std::vector<ProfileSummaryRow> rows = SummaryOf(Measured(), 0.01);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].whole, Nanos{100'000});
  EXPECT_EQ(rows[0].inside, Nanos{95'000});
  EXPECT_EQ(rows[0].reorders, 1U);
  EXPECT_EQ(rows[0].reordering, Nanos{5000});
  EXPECT_EQ(rows[0].of_groups, Nanos{130'000});
  EXPECT_EQ(rows[0].of_layers, Nanos{141'000});
  EXPECT_EQ(rows[0].unstable, 0U);
  const std::string text = ProfilerSummaryText(Measured(), 0.01, 100);
  EXPECT_NE(text.find("-5 %"), std::string::npos) << text;
  EXPECT_NE(text.find("+30 %"), std::string::npos) << text;
  EXPECT_NE(text.find("off by 1 % in the median, 20 % at worst"), std::string::npos) << text;
}

// As where it was cut short.
TEST(ProfilerResult, APartWithoutSamplesIsNeitherInTheSumsNorUnstable) {
  ProfilerSamples samples = Measured();
  for (auto& [source, found] : samples.sources) {
    if (source.cut == ProfileCut::kGroups) found.parts.back().samples.clear();
  }
  const std::vector<ProfileSummaryRow> rows = SummaryOf(samples, 0.01);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].of_groups, Nanos{60'000});
  EXPECT_EQ(rows[0].unstable, 0U);
}

TEST(ProfilerResult, CopiesAndTheUnitsOwnClockAreToldWhereTheyWereMeasured) {
  ProfilerSamples samples = Measured();
  samples.transfers[{"dram", "vram", 1024}] = {Around(9), true};
  samples.transfers[{"dram", "vram", 1'000'000}] = {Around(100), true};
  Put(samples, ProfileCut::kWhole, ProfileManner::kDevice, {{{}, Around(88)}});
  Put(samples, ProfileCut::kWhole, ProfileManner::kMapped, {{{}, Around(110)}});
  const std::string text = ProfilerSummaryText(samples, 0.01, 100);
  EXPECT_NE(text.find("copies dram to vram: 9 us for 1,024 bytes, 10 GB/s for 1,000,000 bytes; 2 sizes"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("0.088"), std::string::npos) << text;
  EXPECT_NE(text.find("+10 %"), std::string::npos) << text;
  Profile profile;
  FillProfile(samples, 0.01, profile);
  ASSERT_EQ(profile.transfers.size(), 2U);
  EXPECT_EQ(profile.transfers[1].time.median, Nanos{100'000});
  EXPECT_EQ(profile.entries[0].device, Nanos{88'000});
  EXPECT_TRUE(profile.entries.back().mapped || profile.entries[1].mapped);
}

TEST(ProfilerResult, WhatTheUnitsThreadKeepsACoreBusyStandsBesideEachTime) {
  ProfilerSamples samples = Measured();
  Put(samples, ProfileCut::kWhole, ProfileManner::kCore, {{{}, Around(12)}});
  Put(samples, ProfileCut::kGroups, ProfileManner::kCore, {{{"a", "b"}, Around(7)}, {{"c"}, Around(9)}});
  Put(samples, ProfileCut::kWhole, ProfileManner::kDevice, {{{}, Around(88)}});
  samples = ReadProfilerSamples(JsonDocument::Parse(ProfilerSamplesJson(samples), "kept").root());
  Profile profile;
  FillProfile(samples, 0.01, profile);
  std::map<std::vector<std::string>, std::optional<Nanos>> core;
  for (const CostEntry& entry : profile.entries) core[entry.layers] = entry.core;
  // The layer c is a group by itself; a and b were not run layer by layer with that clock.
  EXPECT_EQ(core, (std::map<std::vector<std::string>, std::optional<Nanos>>{{{}, Nanos{12'000}},
                                                                            {{"a", "b"}, Nanos{7'000}},
                                                                            {{"c"}, Nanos{9'000}},
                                                                            {{"a"}, std::nullopt},
                                                                            {{"b"}, std::nullopt}}));
  EXPECT_EQ(SummaryOf(samples, 0.01).at(0).core, Nanos{12'000});
  const std::string text = ProfilerSummaryText(samples, 0.01, 120);
  EXPECT_NE(text.find("core busy, us"), std::string::npos) << text;
}

TEST(ProfilerResult, SamplesThatDoNotComeTogetherAreFlagged) {
  ProfilerSamples samples = Measured();
  auto& whole = samples.sources.begin()->second.parts.front().samples;
  for (std::size_t i = 0; i < 5; ++i) whole[i] *= 2;
  Profile profile;
  FillProfile(samples, 0.01, profile);
  EXPECT_TRUE(profile.entries[0].unstable);
  EXPECT_FALSE(profile.entries[1].unstable);
}

TEST(ProfilerResult, ACurveIsAsFarOffAsThePairsThatItWasSetAgainst) {
  ProfilerSamples samples;
  samples.pairs = {
      {"cpu", "m", "gpu", "n", 2, 2.2}, {"cpu", "m", "gpu", "m", 1, 0.5}, {"gpu", "n", "cpu", "m", 1, 1}};
  CoRunningEntry point;
  point.unit = "cpu";
  point.model = "m";
  point.beside = "gpu";
  EXPECT_EQ(ErrorOfCurve(samples, point), 0.3606) << "the root of (0.01 + 0.25) / 2";
  point.beside = "npu";
  EXPECT_FALSE(ErrorOfCurve(samples, point));
}

TEST(ProfilerResult, TheSummarySaysHowMuchOfTheTimeAUnitWasUndisturbed) {
  ProfilerSamples samples = Measured();
  samples.yardsticks["cpu"] = {Nanos{98'100}, Nanos{98'200}, Nanos{160'000}, Nanos{98'100}};
  const std::string text = ProfilerSummaryText(samples, 0.01, 100);
  EXPECT_NE(text.find("unit cpu was undisturbed 75 % of the time: its yardstick takes 98.1 us"),
            std::string::npos)
      << text;
}

TEST(ProfilerResult, SamplesStandInTheOrderInWhichTheyWereTaken) {
  ProfilerSamples samples = Measured();
  const std::vector<Nanos> taken = {Nanos{5000}, Nanos{4000}, Nanos{4500}};
  samples.sources.begin()->second.parts.front().samples = taken;
  Profile profile;
  FillProfile(samples, 0.01, profile);
  EXPECT_EQ(profile.entries[0].time.samples, taken);
}

TEST(ProfilerSamples, ReadingsOfYardsticksAreKeptWithThePassesTheyAreOf) {
  ProfilerSamples samples = Measured();
  SourceSamples& whole = samples.sources.begin()->second;
  for (std::int64_t i = 0; i < 500; ++i) {
    whole.parts.front().samples.emplace_back(i * 1000);
    samples.yardsticks["cpu"].emplace_back(100'000 + i);
  }
  whole.readings.clear();
  for (const Nanos time : whole.parts.front().samples) {
    whole.readings.push_back(time + Nanos{1});
    whole.held_back.push_back(time >= Nanos{400'000});
  }
  samples.held_back["cpu"] = std::vector<bool>(300, true);  // of the first readings; nobody asked later
  samples.held_back["gpu"] = {false, true};
  const ProfilerSamples again =
      ReadProfilerSamples(JsonDocument::Parse(ProfilerSamplesJson(samples), "kept").root());
  const SourceSamples& read = again.sources.begin()->second;
  ASSERT_EQ(read.readings.size(), read.parts.front().samples.size());
  for (std::size_t i = 0; i < read.readings.size(); ++i) {
    EXPECT_EQ(read.readings[i], read.parts.front().samples[i] + Nanos{1}) << i;
    EXPECT_EQ(read.held_back.at(i), read.parts.front().samples[i] >= Nanos{400'000}) << i;
  }
  EXPECT_EQ(again.held_back.at("cpu").size(), kMostSamplesKept);
  EXPECT_TRUE(again.held_back.at("cpu").front());
  EXPECT_FALSE(again.held_back.at("cpu").back());
  EXPECT_EQ(again.held_back.at("gpu"), (std::vector<bool>{false, true}));
  EXPECT_EQ(again.yardsticks.at("cpu").size(), kMostSamplesKept);
  EXPECT_EQ(again.yardsticks.at("cpu").back(), Nanos{100'499});
}

TEST(ProfilerSamples, WritingAndReadingAgainLosesNothing) {
  const std::string once = ProfilerSamplesJson(Measured());
  const ProfilerSamples again = ReadProfilerSamples(JsonDocument::Parse(once, "kept").root());
  EXPECT_EQ(ProfilerSamplesJson(again), once);
  EXPECT_EQ(again.request, UINT64_MAX);
  EXPECT_EQ(again.sources.size(), 5U);
  EXPECT_EQ(again.pairs.size(), 2U);
  EXPECT_EQ(again.together, Measured().together);
  EXPECT_EQ(again.finished.size(), 1U);
}

}  // namespace
}  // namespace tandem
