// Does the profiler measure what it was asked to, say where it comes from, and keep it through an
// interruption?
#include "device/profiler/profiler.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <thread>

#include "device/profiler/again.h"
#include "device/profiler/least_time.h"
#include "device/profiler/samples/result.h"
#include "profiles/base/files.h"
#include "tests/support/device/board_trees.h"
#include "tests/support/device/harness_files.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = R"({"tandem": "model/1", "name": "tiny", "layers": [
  {"name": "data", "op": "input", "shape": [1, 3, 8, 8]},
  {"name": "conv", "op": "conv", "inputs": ["data"], "out_channels": 4, "kernel": [3, 3]},
  {"name": "relu", "op": "relu", "inputs": ["conv"]},
  {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 5}]})";

class ProfilerTest : public ::testing::Test {
 protected:
  ProfilerTest() { WriteFile(folder_ / "tiny.json", kModel); }

  // Two reference units that share nothing but the memory, one that is emulated, one without a backend.
  ProfileOrder Request(const std::string& members = "") {
    const std::string text = R"({"tandem": "profile-request/1", "platform": {"name": "board",
        "memories": [{"name": "dram"}], "units": [
        {"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference"},
        {"name": "b", "kind": "cpu", "memory": "dram", "backend": "reference"},
        {"name": "npu", "kind": "npu", "memory": "dram"}]},
        "models": ["./tiny.json", {"model": "./tiny.json", "batch": 2}], "co_running": "none",
        "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.2)" +
                             members + "}";
    return ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
  }

  TempFolder folder_;
};

std::set<std::string> Entries(const Profile& profile) {
  std::set<std::string> entries;
  for (const CostEntry& entry : profile.entries) {
    std::string text = entry.unit + " " + std::to_string(entry.batch);
    for (const std::string& layer : entry.layers) text += " " + layer;
    entries.insert(text);
  }
  return entries;
}

TEST_F(ProfilerTest, MeasuresEveryModelOnEveryUnitThatCanBeMeasured) {
  const ProfilerOutcome outcome = MeasureProfile(Request(), {});
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(Entries(outcome.profile),
            (std::set<std::string>{"a 1", "a 1 conv", "a 1 relu", "a 1 fc", "a 2", "a 2 conv", "a 2 relu",
                                   "a 2 fc", "b 1", "b 1 conv", "b 1 relu", "b 1 fc", "b 2", "b 2 conv",
                                   "b 2 relu", "b 2 fc"}));
  for (const CostEntry& entry : outcome.profile.entries) {
    EXPECT_GE(entry.time.samples.size(), 3U);
    EXPECT_EQ(entry.inside.has_value(), !entry.layers.empty());
    EXPECT_FALSE(entry.cold);
  }
  EXPECT_EQ(outcome.profile.loads.size(), 2U);
  EXPECT_EQ(outcome.samples.notes,
            std::vector<std::string>{R"(unit "npu" names no backend and was not measured)"});
}

TEST_F(ProfilerTest, TheProfileSaysWhereItComesFromAndReadsBack) {
  const ProfileOrder request = Request(R"(, "groups": false)");
  const Profile profile = MeasureProfile(request, {}).profile;
  EXPECT_EQ(profile.origin.kind, OriginKind::kMeasured);
  EXPECT_EQ(profile.origin.cache_mode, CacheMode::kInNetwork);
  EXPECT_FALSE(profile.origin.host.empty() || profile.origin.clocks.empty());
  EXPECT_TRUE(profile.origin.libraries.contains("tandem"));
  EXPECT_EQ(profile.origin.threads.size(), 2U);
  const std::string text = ProfileJson(profile);
  const Profile again = ReadProfile(JsonDocument::Parse(text, "p.json").root());
  CheckUnits(again, request.platform);
  CheckModels(again);
  EXPECT_EQ(ProfileJson(again), text);
}

TEST_F(ProfilerTest, OnlyTheUnitsAskedForAreMeasured) {
  ProfileOrder request = Request(R"(, "groups": false, "units": ["b"])");
  for (const CostEntry& entry : MeasureProfile(request, {}).profile.entries) EXPECT_EQ(entry.unit, "b");
  request.units = {"npu"};
  EXPECT_EQ(ErrorOf([&] { (void)MeasureProfile(request, {}); }).substr(0, 16), R"(platform "board")");
  request.units = {"nqu"};
  EXPECT_EQ(ErrorOf([&] { (void)MeasureProfile(request, {}); }),
            R"(unknown unit "nqu"; did you mean "npu"?)");
}

TEST_F(ProfilerTest, ColdTimesStandBesideTheWarmOnes) {
  ProfileOrder request = Request(R"(, "cold": true, "units": ["a"])");
  request.budget = std::chrono::milliseconds(50);
  for (const CostEntry& entry : MeasureProfile(request, {}).profile.entries) EXPECT_TRUE(entry.cold);
}

// The parts of one split make up the layer; what was measured is not measured again.
TEST_F(ProfilerTest, PartsOfLayersThatCanBeSplit) {
  ProfileOrder request =
      Request(R"(, "layers": true, "units": ["a"], "parts": {"shares": [0.25, 0.5], "least_us": 0})");
  request.models.resize(1);
  ProfilerOptions options;
  const ProfilerOutcome outcome = MeasureProfile(request, options);
  std::map<std::string, std::vector<std::int64_t>> sizes;
  for (const PartEntry& part : outcome.profile.parts) {
    EXPECT_EQ(part.unit, "a");
    EXPECT_GE(part.time.samples.size(), 3U);
    std::string name(NameOf(kSplitAxisNames, part.axis));
    for (const std::string& layer : part.layers) name += " " + layer;
    sizes[name].push_back(part.size);
  }
  EXPECT_EQ(sizes["channels conv"], (std::vector<std::int64_t>{1, 3, 2}));
  EXPECT_EQ(sizes["rows conv"], (std::vector<std::int64_t>{2, 4, 3}));
  EXPECT_EQ(sizes["channels fc"], (std::vector<std::int64_t>{1, 4, 3, 2}));
  EXPECT_EQ(sizes.count("rows fc"), 0U);
  EXPECT_NO_THROW(ReadProfile(JsonDocument::Parse(ProfileJson(outcome.profile), "p").root()));
  request.parts->of = {{request.models[0].model, {"conv", "relu"}}};
  request.parts->axes = {SplitAxis::kRows};
  request.parts->shares = {0.5};
  const ProfilerOutcome named = MeasureProfile(request, options);
  ASSERT_EQ(named.profile.parts.size(), 1U) << "both halves are of one size";
  EXPECT_EQ(named.profile.parts[0].layers, (std::vector<std::string>{"conv", "relu"}));
}

std::size_t PassesOfWhole(const ProfilerSamples& samples, const std::string& unit) {
  for (const auto& [key, source] : samples.sources) {
    const bool whole = key.cut == ProfileCut::kWhole && key.manner == ProfileManner::kWarm;
    if (whole && key.unit == unit) return source.parts.front().samples.size();
  }
  return 0;
}

// Stretches that lie apart tell how far one is from the next.
TEST_F(ProfilerTest, WholeModelsAreMeasuredAgainWhereOtherThingsAreMeasuredToo) {
  ProfileOrder request =
      Request(R"(, "layers": true, "units": ["a"], "parts": {"shares": [0.5], "least_us": 0})");
  request.models.resize(1);
  std::map<std::string, std::size_t> passes;  // when each stretch began
  ProfilerOptions options;
  ProfilerSamples now;
  options.onlooker.known = [&](const ProfilerSamples& samples) { now = samples; };
  options.onlooker.progress = [&](const std::string& what, std::int64_t, std::int64_t) {
    if (what.starts_with(kAgain)) passes.emplace(what, PassesOfWhole(now, "a"));
    return true;
  };
  const ProfilerOutcome outcome = MeasureProfile(request, options);
  ASSERT_EQ(passes.size(), static_cast<std::size_t>(kStretchesAgain));
  std::vector<std::size_t> grown;
  for (const auto& [what, count] : passes) grown.push_back(count);
  grown.push_back(PassesOfWhole(outcome.samples, "a"));
  std::sort(grown.begin(), grown.end());
  for (std::size_t i = 1; i < grown.size(); ++i) {
    EXPECT_GE(grown[i], grown[i - 1] + kLeastPassesAgain);
    EXPECT_LE(grown[i], 2 * grown[0] * i + kLeastPassesAgain * i) << "no more than in a stretch before";
  }
  EXPECT_EQ(outcome.samples.sources.begin()->second.readings.size(),
            outcome.samples.sources.begin()->second.parts.front().samples.size());
}

TEST_F(ProfilerTest, AnInterruptedRunIsGoneOnWith) {
  ProfilerOptions options;
  options.kept = folder_ / "out.json.partial";
  int left = 6;
  options.onlooker.progress = [&](const std::string&, std::int64_t, std::int64_t) { return --left > 0; };
  const ProfilerOutcome first = MeasureProfile(Request(), options);
  EXPECT_TRUE(first.stopped);
  ASSERT_TRUE(fs::exists(options.kept));
  options.onlooker.progress = nullptr;
  options.resume = true;
  EXPECT_EQ(ErrorOf([&] { (void)MeasureProfile(Request(R"(, "layers": true)"), options); }),
            options.kept.string() +
                ": was measured for another request; without --resume everything is measured from the start");
  ProfileOrder other = Request();  // as much is to be measured, for longer and better
  other.budget = Nanos{300'000'000};
  other.noise = 0.4;
  const ProfilerOutcome second = MeasureProfile(other, options);
  EXPECT_FALSE(second.stopped);
  EXPECT_EQ(second.profile.entries.size(), 16U);
  EXPECT_FALSE(fs::exists(options.kept)) << "all is done";
}

// Both units are disturbed every third time they are asked.
MakeYardstick EveryThirdDisturbed() {
  return [](const Unit& unit, Processor&, std::int64_t&) {
    return ReadYardstick([level = unit.name == "a" ? 100'000 : 200'000, n = 0]() mutable {
      return Nanos{++n % 3 == 0 ? 2 * level : level};
    });
  };
}

TEST_F(ProfilerTest, TheProfileIsOfTheUndisturbedMachineAndSaysHowItsYardsticksRead) {
  ProfilerOptions options;
  options.yardstick_of = EveryThirdDisturbed();
  const ProfilerOutcome outcome = MeasureProfile(Request(), options);
  EXPECT_EQ(outcome.profile.origin.yardsticks,
            (std::map<std::string, Nanos>{{"a", Nanos{100'000}}, {"b", Nanos{200'000}}}));
  ASSERT_EQ(outcome.profile.entries.size(), 16U);
  for (const auto& [key, source] : outcome.samples.sources) {
    const Nanos level{key.unit == "a" ? 100'000 : 200'000};
    EXPECT_GE(source.readings.size(), 3U);
    EXPECT_EQ(source.readings, std::vector<Nanos>(source.readings.size(), level));
  }
  const auto& machine = outcome.profile.origin.machine;
  ASSERT_EQ(machine.size(), 2U);
  EXPECT_EQ(machine.at("a").size(), machine.at("b").size());
  for (const auto& [unit, course] : machine) {
    std::set<double> slowdowns;
    for (const MachineStretch& stretch : course) slowdowns.insert(stretch.slowdown);
    EXPECT_EQ(slowdowns, (std::set<double>{1, 2})) << unit << ": what was passed over is known";
  }
}

bool Says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

// A board whose clocks are held back at every fifth reading of a unit, and at no other; yardsticks never see
// it.
TEST_F(ProfilerTest, WhatWasMeasuredWhileHeatHeldClocksBackDoesNotCount) {
  WriteBoardTree("rk3399", folder_ / "board");
  const fs::path state = folder_ / "board/sys/class/thermal/cooling_device1/cur_state";
  ProfilerOptions options;
  options.clocks.root = folder_ / "board";
  options.yardstick_of = [&](const Unit&, Processor&, std::int64_t&) {
    return ReadYardstick([&state, n = 0]() mutable {
      WriteFile(state, ++n % 5 == 0 ? "2\n" : "0\n");
      return Nanos{100'000};
    });
  };
  const ProfilerOutcome outcome = MeasureProfile(Request(), options);
  EXPECT_EQ(outcome.profile.entries.size(), 16U);
  for (const auto& [key, source] : outcome.samples.sources) {
    EXPECT_EQ(std::count(source.held_back.begin(), source.held_back.end(), true), 0) << key.unit;
  }
  const std::string& note = outcome.profile.origin.note;
  for (const std::string unit : {"a", "b"}) {
    EXPECT_TRUE(Says(note, "unit \"" + unit + "\": clocks were held back for the heat at ")) << note;
  }
  EXPECT_TRUE(Says(note, "were measured then")) << note;
  EXPECT_FALSE(Says(note, " passes alone 0 were")) << note << ": the third turn of each unit was";
  EXPECT_EQ(outcome.profile.origin.clocks.count("cpu-thermal"), 1U);
}

TEST_F(ProfilerTest, ABoardThatIsAlwaysHeldBackIsProfiledAsItIsAndTheNoteSaysSo) {
  WriteBoardTree("rk3399", folder_ / "board");
  ProfilerOptions options;
  options.clocks.root = folder_ / "board";
  options.yardstick_of = [](const Unit&, Processor&, std::int64_t&) { return [] { return Nanos{100'000}; }; };
  const ProfilerOutcome outcome = MeasureProfile(Request(), options);
  EXPECT_EQ(outcome.profile.entries.size(), 16U);
  const std::string wanted =
      "unit \"a\": clocks were held back for the heat all the time, and its times are of that state";
  EXPECT_TRUE(Says(outcome.profile.origin.note, wanted)) << outcome.profile.origin.note;
  const auto& notes = outcome.samples.notes;
  EXPECT_NE(std::find(notes.begin(), notes.end(), wanted), notes.end()) << "who waits for it is told too";
  for (const auto& [key, source] : outcome.samples.sources) EXPECT_FALSE(source.scaled);
}

TEST_F(ProfilerTest, TheRowsThatAYardstickFoundAreKeptForTheNextOne) {
  ProfilerOptions options;
  options.kept = folder_ / "out.json.partial";
  std::vector<std::int64_t> given;
  options.yardstick_of = [&](const Unit& unit, Processor&, std::int64_t& rows) {
    given.push_back(rows);
    rows = unit.name == "a" ? 16 : kYardstickRows;
    return [] { return Nanos{100'000}; };
  };
  int left = 30;
  options.onlooker.progress = [&](const std::string&, std::int64_t, std::int64_t) { return --left > 0; };
  ASSERT_TRUE(MeasureProfile(Request(), options).stopped);
  options.onlooker.progress = nullptr;
  options.resume = true;
  const ProfilerOutcome outcome = MeasureProfile(Request(), options);
  EXPECT_EQ(given, (std::vector<std::int64_t>{0, 0, 16, kYardstickRows}));
  EXPECT_EQ(outcome.profile.origin.yardstick_rows, (std::map<std::string, std::int64_t>{{"a", 16}}))
      << "what is usual is not said";
}

TEST_F(ProfilerTest, ReadingsAreGoneOnWithAfterAnInterruption) {
  ProfilerOptions options;
  options.kept = folder_ / "out.json.partial";
  options.yardstick_of = EveryThirdDisturbed();
  int left = 30;
  options.onlooker.progress = [&](const std::string&, std::int64_t, std::int64_t) { return --left > 0; };
  ASSERT_TRUE(MeasureProfile(Request(), options).stopped);
  const std::size_t before =
      ReadProfilerSamples(JsonDocument::ReadFile(options.kept).root()).yardsticks["a"].size();
  options.onlooker.progress = nullptr;
  options.resume = true;
  const ProfilerOutcome second = MeasureProfile(Request(), options);
  EXPECT_GT(second.samples.yardsticks.at("a").size(), before);
  EXPECT_EQ(second.profile.entries.size(), 16U);
}

TEST_F(ProfilerTest, ABudgetThatWillNotDoIsSaidAtOnce) {
  FakeKernels slow;
  slow.after = [](int, std::span<float* const>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  };
  ProfileOrder request = Request();
  const FakeBackend backend(BackendOf(request.platform.units[0], ""), slow);
  std::vector<std::string> said;
  int runs_before = 0;
  ProfilerOptions options;
  options.backend_of = [&](const Unit&, const std::string&) -> const DeviceBackend& { return backend; };
  options.onlooker.say = [&](const std::string& sentence) {
    said.push_back(sentence);
    runs_before = slow.runs;
  };
  request.units = {"a"};
  request.models.resize(1);
  request.budget = Nanos{1'000'000};
  (void)MeasureProfile(request, options);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("not the 0.0 s of the budget: "), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("the fewest runs of "), std::string::npos) << said[0];
  EXPECT_LT(runs_before, slow.runs / 3) << "it was said before it was waited for";
  request.budget = Nanos{0};
  slow.after = nullptr;
  (void)MeasureProfile(request, options);
  EXPECT_EQ(said.size(), 1U) << "without one there is nothing to say";
}

TEST(WhyOverBudget, NamesWhatTakesLonger) {
  const auto s = [](std::int64_t tenths) { return Nanos{tenths * 100'000'000}; };
  EXPECT_EQ(WhyOverBudget(s(100), {4, s(5), s(50), s(20)}), "") << "half a second more is no other budget";
  EXPECT_EQ(WhyOverBudget(s(100), {4, s(50), s(50), s(20)}),
            "this takes about 15.0 s, not the 10.0 s of the budget: 5.0 s to load and compile the models");
  EXPECT_EQ(WhyOverBudget(s(100), {4, s(0), s(150), s(20)}),
            "this takes about 17.0 s, not the 10.0 s of the budget: the fewest runs of 4 measurements take "
            "15.0 s, parts of layers and models beside others 2.0 s");
}

TEST_F(ProfilerTest, WhatIsDoneIsNotMeasuredAgain) {
  ProfilerOptions options;
  options.kept = folder_ / "out.json.partial";
  const ProfilerOutcome first = MeasureProfile(Request(), options);
  WriteFile(options.kept, ProfilerSamplesJson(first.samples));
  options.resume = true;
  const ProfilerOutcome second = MeasureProfile(Request(), options);
  EXPECT_EQ(ProfilerSamplesJson(second.samples), ProfilerSamplesJson(first.samples));
}

TEST_F(ProfilerTest, KeptSamplesOfOtherLibrariesAreRefused) {
  ProfilerOptions options;
  options.kept = folder_ / "out.json.partial";
  ProfilerSamples samples = MeasureProfile(Request(), options).samples;
  samples.libraries["tandem"] = "0.0.1";
  WriteFile(options.kept, ProfilerSamplesJson(samples));
  options.resume = true;
  EXPECT_NE(
      ErrorOf([&] { (void)MeasureProfile(Request(), options); }).find("other versions of the libraries"),
      std::string::npos);
}

}  // namespace
}  // namespace tandem
