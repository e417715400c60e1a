// Does a profile count what was measured undisturbed, and say how far a run may lie from all of it?
#include "device/profiler/samples/reference_state.h"

#include <gtest/gtest.h>
#include <cmath>

#include "device/profiler/samples/result.h"

namespace tandem {
namespace {

constexpr Nanos kLevel{100'000};

SourceSamples Passes(const std::vector<std::pair<std::int64_t, std::int64_t>>& times_and_readings) {
  SourceSamples source;
  source.parts = {{{"a"}, {}}, {{"b"}, {}}};
  for (const auto& [time, reading] : times_and_readings) {
    source.parts[0].samples.emplace_back(time);
    source.parts[1].samples.emplace_back(2 * time);
    source.readings.emplace_back(reading);
  }
  return source;
}

TEST(InReference, PassesOfAnotherStateDoNotCount) {
  const SourceSamples all = Passes({{10, 100'000},
                                    {17, 160'000},
                                    {11, 101'000},
                                    {12, 99'000},
                                    {13, 100'000},
                                    {18, 150'000},
                                    {14, 107'000}});
  const SourceSamples kept = InReference(all, kLevel);
  EXPECT_EQ(kept.parts[0].samples, (std::vector{Nanos{10}, Nanos{11}, Nanos{12}, Nanos{13}, Nanos{14}}))
      << "in order of time";
  EXPECT_EQ(kept.parts[1].samples.back(), Nanos{28});
  EXPECT_EQ(kept.readings.size(), 5U);
  EXPECT_FALSE(kept.scaled);
}

TEST(InReference, WhereTooFewAreLeftAllAreScaled) {
  const SourceSamples all = Passes(
      {{1000, 100'000}, {1600, 160'000}, {1500, 150'000}, {1600, 160'000}, {1000, 100'000}, {1200, 120'000}});
  const SourceSamples scaled = InReference(all, kLevel);
  EXPECT_TRUE(scaled.scaled);
  EXPECT_EQ(scaled.parts[0].samples, std::vector<Nanos>(6, Nanos{1000}));
  EXPECT_EQ(scaled.parts[1].samples, std::vector<Nanos>(6, Nanos{2000}));
  EXPECT_EQ(InReference(scaled, kLevel).parts[0].samples, scaled.parts[0].samples) << "once is enough";
}

TEST(InReference, FewPassesThatAreAllUndisturbedStayAsTheyWere) {
  const SourceSamples kept = InReference(Passes({{10, 100'000}, {11, 100'000}, {12, 100'000}}), kLevel);
  EXPECT_FALSE(kept.scaled);
  EXPECT_EQ(kept.parts[0].samples.size(), 3U);
}

TEST(InReference, WithoutAYardstickAllCount) {
  EXPECT_EQ(InReference(Passes({{10, 0}, {20, 0}}), Nanos{0}).parts[0].samples.size(), 2U);
}

// The same, all read alike; '1': clocks were held back.
SourceSamples HeldBack(const std::string& passes) {
  SourceSamples source;
  source.parts = {{{"a"}, {}}};
  for (const char pass : passes) {
    source.parts[0].samples.emplace_back(pass == '1' ? 1040 : 1000);
    source.readings.emplace_back(pass == '1' ? 104'000 : 100'000);
    source.held_back.push_back(pass == '1');
  }
  return source;
}

TEST(InReference, PassesThatWereHeldBackDoNotCountThoughTheirYardstickReadsWell) {
  const SourceSamples kept = InReference(HeldBack("00110001"), kLevel);
  EXPECT_EQ(kept.parts[0].samples, std::vector<Nanos>(5, Nanos{1000}));
  EXPECT_FALSE(kept.scaled);
  EXPECT_EQ(InReference(kept, kLevel).parts[0].samples.size(), 5U);
  EXPECT_EQ(InReference(HeldBack("00110001"), Nanos{0}).parts[0].samples.size(), 5U) << "without a yardstick";
}

TEST(InReference, WhereTooFewWereNotHeldBackAllAreScaledIfThereIsAYardstick) {
  const SourceSamples scaled = InReference(HeldBack("0111111"), kLevel);
  EXPECT_TRUE(scaled.scaled);
  EXPECT_EQ(scaled.parts[0].samples, std::vector<Nanos>(7, Nanos{1000}));
  EXPECT_EQ(InReference(scaled, kLevel).parts[0].samples, scaled.parts[0].samples) << "once is enough";
  EXPECT_EQ(InReference(HeldBack("0111111"), Nanos{0}).parts[0].samples.size(), 7U);
}

TEST(InReference, OfABoardThatIsAlwaysHeldBackAllCount) {
  EXPECT_EQ(InReference(HeldBack("0111111"), Nanos{104'000}, true).parts[0].samples.size(), 7U);
}

TEST(IsHot, MoreThanFourFifthsOfTheTime) {
  EXPECT_FALSE(IsHot({}, 0));
  EXPECT_FALSE(IsHot({true, true, true, true, false}, 5));
  EXPECT_TRUE(IsHot({true, true, true, true, true, false}, 6));
  EXPECT_FALSE(IsHot({true, true}, 20)) << "who was not asked was not held back";
}

TEST(LevelOf, IsOfTheReadingsThatWereNotHeldBack) {
  const std::vector<Nanos> readings = {Nanos{90}, Nanos{90}, Nanos{90}, Nanos{100}, Nanos{101}};
  EXPECT_EQ(LevelOf(readings, {}), Nanos{90});
  EXPECT_EQ(LevelOf(readings, {true, true, true, false, false}), Nanos{100});
  EXPECT_EQ(LevelOf(readings, {true, true, true, true, true}), Nanos{90});
}

TEST(HeldBackNotes, SayHowOftenAndWhatCameOfIt) {
  ProfilerSamples samples;
  EXPECT_TRUE(HeldBackNotes(samples).empty());
  SampleSource of;
  of.model = {"m", 1};
  of.unit = "cpu";
  samples.sources[of] = HeldBack("00110001");
  samples.yardsticks["cpu"].assign(10, kLevel);
  samples.held_back["cpu"] = {false, false, true};
  samples.held_back["cool"] = std::vector<bool>(10, false);
  EXPECT_EQ(
      HeldBackNotes(samples),
      std::vector<std::string>{
          "unit \"cpu\": clocks were held back for the heat at 1 of 10 readings; of 8 passes alone 3 were "
          "measured then and count only where there are no others"});
  samples.held_back["cpu"] = std::vector<bool>(10, true);
  EXPECT_EQ(HeldBackNotes(samples),
            std::vector<std::string>{"unit \"cpu\": clocks were held back for the heat all the time, and its "
                                     "times are of that state"});
}

void Read(ProfilerSamples& samples, const std::string& unit, int at_ms, std::int64_t took,
          bool at_once = false) {
  const Nanos at = std::chrono::milliseconds{at_ms};
  (at_once ? samples.yardsticks_at_once : samples.yardsticks)[unit].emplace_back(took);
  samples.readings[unit].push_back({at, Nanos{took}, at_once});
}

using std::chrono::milliseconds;

TEST(MachineWhile, AReadingHoldsUntilTheNextOfItsUnit) {
  ProfilerSamples samples;
  for (int i = 0; i < 10; ++i) Read(samples, "a", 10 * i, i == 4 || i == 5 ? 161'000 : 100'000 + 500 * i);
  for (int i = 0; i < 10; ++i) Read(samples, "b", 10 * i + 5, i == 5 ? 50'300 : 40'000);
  const std::map<std::string, MachineCourse> machine = MachineWhile(samples);
  EXPECT_EQ(machine.at("a"), (MachineCourse{{milliseconds{40}, 1},
                                            {milliseconds{15}, 1.6},
                                            {milliseconds{5}, 1.6},
                                            {milliseconds{5}, 1},
                                            {milliseconds{30}, 1}}));
  EXPECT_EQ(machine.at("b"), (MachineCourse{{milliseconds{40}, 1},
                                            {milliseconds{15}, 1},
                                            {milliseconds{5}, 1.25},
                                            {milliseconds{5}, 1.25},
                                            {milliseconds{30}, 1}}));
}

// Of a machine on which a reading waited for its core for long, or was cut short: 2000 times and a hundredth.
TEST(MachineWhile, IsWhatAProfileMayHoldWhateverWasRead) {
  ProfilerSamples samples;
  samples.host = "h";
  for (int i = 0; i < 10; ++i) Read(samples, "a", 10 * i, i == 4 ? 200'000'000 : i == 6 ? 1'000 : 100'000);
  EXPECT_EQ(MachineWhile(samples).at("a"), (MachineCourse{{milliseconds{40}, 1},
                                                          {milliseconds{10}, 1000},
                                                          {milliseconds{10}, 1},
                                                          {milliseconds{10}, 0.01},
                                                          {milliseconds{20}, 1}}));
  const ProfilerSamples later =
      ReadProfilerSamples(JsonDocument::Parse(ProfilerSamplesJson(samples), "kept").root());
  EXPECT_EQ(later.machine, MachineWhile(samples));
}

TEST(MachineWhile, WhatNobodyReadIsLeftOut) {
  ProfilerSamples samples;
  for (int i = 0; i < 10; ++i) Read(samples, "a", 5000 * i, 100'000);
  EXPECT_EQ(MachineWhile(samples).at("a"), (MachineCourse{{9 * milliseconds{250}, 1}}));
  EXPECT_TRUE(MachineWhile(ProfilerSamples()).empty());
}

TEST(MachineWhile, ReadingsWhileOthersHaveTheirsAreHeldToTheirOwnLevel) {
  ProfilerSamples samples;
  for (int i = 0; i < 10; ++i) Read(samples, "a", i, 100'000);
  for (int i = 10; i < 20; ++i) Read(samples, "a", i, i == 12 ? 260'000 : 130'000, true);
  EXPECT_EQ(MachineWhile(samples).at("a"),
            (MachineCourse{{milliseconds{12}, 1}, {milliseconds{1}, 2}, {milliseconds{6}, 1}}));
  samples.yardsticks_at_once["a"].resize(9);  // too few to say what they are to be
  EXPECT_EQ(MachineWhile(samples).at("a"), (MachineCourse{{milliseconds{9}, 1}}));
}

TEST(MachineWhile, GoesOnBehindWhatAnEarlierRunOfTheProgramKnew) {
  ProfilerSamples samples;
  samples.host = "h";
  for (int i = 0; i < 10; ++i) Read(samples, "a", 10 * i, i < 8 ? 100'000 : 200'000);
  const ProfilerSamples later =
      ReadProfilerSamples(JsonDocument::Parse(ProfilerSamplesJson(samples), "kept").root());
  EXPECT_EQ(MachineWhile(later), MachineWhile(samples));
  samples.machine = later.machine;
  EXPECT_EQ(MachineWhile(samples).at("a"),
            (MachineCourse{
                {milliseconds{80}, 1}, {milliseconds{10}, 2}, {milliseconds{80}, 1}, {milliseconds{10}, 2}}));
}

SampleSource Source(const std::string& model, const std::string& unit = "cpu") {
  SampleSource source;
  source.model = {model, 1};
  source.unit = unit;
  return source;
}

TEST(InReferenceState, IsAskedOfEachUnitsOwnYardstickAndNoted) {
  ProfilerSamples samples;
  samples.yardsticks = {{"cpu", std::vector<Nanos>(20, kLevel)}, {"none", {}}};
  samples.sources[Source("m")] = Passes({{1600, 160'000}, {1600, 160'000}});
  samples.sources[Source("m", "none")] = Passes({{1600, 0}, {1600, 0}});
  EXPECT_EQ(LevelsOf(samples), (std::map<std::string, Nanos>{{"cpu", kLevel}}));
  const ProfilerSamples counted = InReferenceState(samples);
  EXPECT_EQ(counted.sources.at(Source("m")).parts[0].samples[0], Nanos{1000});
  EXPECT_EQ(counted.sources.at(Source("m", "none")).parts[0].samples[0], Nanos{1600});
  ASSERT_EQ(counted.notes.size(), 1U);
  EXPECT_EQ(counted.notes[0].substr(0, 24), R"(unit "cpu": of 1 source )");
  Profile profile;
  FillProfile(counted, 0.01, profile);
  EXPECT_TRUE(profile.entries.at(0).unstable) << "its times are no measured ones";
}

// `count` sources whose second halves lie `shift` from the first, a fraction; the samples of each spread by
// `spread` about that, all to either side.
ProfilerSamples Drifting(int count, double shift, double spread) {
  ProfilerSamples samples;
  for (int s = 0; s < count; ++s) {
    SourceSamples& source = samples.sources[Source("m" + std::to_string(s))];
    source.parts = {{{}, {}}};
    for (int i = 0; i < 200; ++i) {
      const double side = (i % 5 - 2) / 2.0;
      source.parts[0].samples.emplace_back(std::llround(1e6 * (1 + (i < 100 ? 0 : shift) + side * spread)));
    }
  }
  return samples;
}

TEST(SharedError, WhatAllSourcesDriftedByIsWhatARunMayLieOff) {
  // sqrt(2.5 x 0.02^2 / 0.4549): the median of squares stands for their mean.
  EXPECT_NEAR(SharedError(Drifting(9, 0.02, 0)).value_or(0), 0.0469, 1e-4);
  EXPECT_NEAR(SharedError(Drifting(9, -0.02, 0)).value_or(0), 0.0469, 1e-4);
  EXPECT_EQ(SharedError(Drifting(9, 0, 0)), 0);
}

TEST(SharedError, WhatTheSamplesOwnScatterExplainsIsNotCountedTwice) {
  const double quiet = SharedError(Drifting(9, 0.01, 0)).value_or(0);
  EXPECT_LT(SharedError(Drifting(9, 0.01, 0.05)).value_or(1), quiet);
  EXPECT_EQ(SharedError(Drifting(9, 0.001, 0.5)), 0);
}

TEST(SharedError, OneSourceThatJumpedIsNotEverybodysError) {
  ProfilerSamples samples = Drifting(9, 0.001, 0);
  const double without = SharedError(samples).value_or(0);
  for (std::size_t i = 100; i < 200; ++i) samples.sources[Source("m0")].parts[0].samples[i] *= 3;
  EXPECT_DOUBLE_EQ(SharedError(samples).value_or(0), without);
}

TEST(SharedError, NothingIsSaidOfTooLittle) {
  EXPECT_FALSE(SharedError(ProfilerSamples()));
  EXPECT_FALSE(SharedError(Drifting(3, 0.02, 0)));
}

// What the yardstick sees of slow changes counts where the sources were measured too briefly to see them.
TEST(SharedError, SlowChangesOfTheYardstickCount) {
  ProfilerSamples samples = Drifting(9, 0, 0);
  for (int i = 0; i < 800; ++i) {
    samples.yardsticks["cpu"].emplace_back(i / 100 % 2 == 0 ? 100'000 : 102'000);
    samples.yardsticks["quick"].emplace_back(i % 2 == 0 ? 100'000 : 102'000);
  }
  // The means of the eight stretches are 1 and 1.02: s^2 = 8 / 7 x 0.01^2, once more by 1 + 1/8; halved, as
  // the other unit's come and go too quickly to matter.
  EXPECT_NEAR(SharedError(samples).value_or(0), std::sqrt(8.0 / 7 * 1e-4 * 9 / 8 / 2), 1e-4);
}

}  // namespace
}  // namespace tandem
