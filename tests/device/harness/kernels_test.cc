// Are the kernels that a profile was measured with those that its plans run on, and is it said where they are
// not?
#include "device/harness/kernels.h"

#include <set>

#include "device/processor/kernel_store.h"
#include "device/profiler/profiler.h"
#include "profiles/base/files.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

class KernelsOfPlans : public HarnessFiles {
 protected:
  KernelsOfPlans() {
    units = R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference"}])";
    streams = R"([{"name": "x", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"}}])";
    fake.library = "numbers 1.0";
  }

  static std::string Entry(const char* layers, const char* choices, const char* library = "numbers 1.0") {
    return std::string(R"({"model": "./m0.json", "unit": "fake", "layers": )") + layers +
           R"(, "library": ")" + library + R"(", "choices": )" + choices + "}";
  }
  // `check`: the outputs against those of the whole model, which is compiled for that.
  std::vector<std::string> WarningsOf(const std::string& policy, bool check = false) {
    RunOrder request = Request({policy});
    request.check = check;
    return RunPlans(request, Place(&fake)).warnings;
  }

  FakeKernels fake;
};

using Warnings = std::vector<std::string>;
constexpr const char* kWhole = R"("fcfs")";
constexpr const char* kLayers = R"({"name": "fcfs", "granularity": "layer"})";

TEST_F(KernelsOfPlans, AreTheProfiles) {
  loads = R"(, "kernels": [)" + Entry(R"("*")", R"({"a": "slow", "b": "fast", "c": "slow"})") + "]";
  EXPECT_EQ(WarningsOf(kWhole), Warnings{});
  EXPECT_EQ(fake.slow, 2);
  EXPECT_EQ(fake.chosen_anew, 0);
}

TEST_F(KernelsOfPlans, OfASegmentWithoutItsOwnAreThoseInsideTheModel) {
  loads = R"(, "kernels": [)" + Entry(R"("*")", R"({"a": "slow", "b": "slow", "c": "slow"})") + ", " +
          Entry(R"(["a"])", R"({"a": "fast"})") + "]";
  EXPECT_EQ(WarningsOf(kLayers), Warnings{});
  EXPECT_EQ(fake.slow, 2);
  EXPECT_EQ(fake.chosen_anew, 0);
}

TEST_F(KernelsOfPlans, OfAnotherLibraryAreChosenAnewAndSaid) {
  loads = R"(, "kernels": [)" + Entry(R"("*")", R"({"a": "slow", "b": "slow", "c": "slow"})", "numbers 0.9") +
          "]";
  EXPECT_EQ(WarningsOf(kLayers),
            Warnings{"kernels of 3 segments on unit \"fake\" were chosen anew: the profile has "
                     "them of numbers 0.9, here is numbers 1.0"});
  EXPECT_EQ(fake.slow, 0);
}

TEST_F(KernelsOfPlans, ThatCannotBeHadOrAreNotThereAreSaid) {
  loads = R"(, "kernels": [)" + Entry(R"("*")", R"({"a": "none", "b": "slow", "c": "slow"})") + "]";
  EXPECT_EQ(WarningsOf(kWhole),
            Warnings{"kernels of 1 segment on unit \"fake\" were chosen anew: what the profile "
                     "has for them cannot be had here"});
  loads = "";
  EXPECT_EQ(
      WarningsOf(kWhole),
      Warnings{"kernels of 1 segment on unit \"fake\" were chosen anew: the profile has none for them"});
  fake.library.clear();
  EXPECT_EQ(WarningsOf(kWhole), Warnings{}) << "where nothing is chosen nothing is missing";
}

TEST_F(KernelsOfPlans, OfPartsAreTheirOwn) {
  KernelEntry of;
  of.model = "m";
  of.layers = {"conv"};
  std::vector<KernelEntry> entries;
  const LayerPart first{SplitAxis::kRows, 0, 4}, second{SplitAxis::kRows, 4, 8};
  KeepChoices(of, std::nullopt, {{"conv", "whole"}}, entries);
  KeepChoices(of, first, {{"conv", "top"}}, entries);
  KeepChoices(of, second, {{"conv", "bottom"}}, entries);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(ChoicesFor(of, first, entries), (KernelChoices{{"conv", "top"}}));
  EXPECT_EQ(ChoicesFor(of, second, entries).at("conv"), "bottom");
  EXPECT_EQ(ChoicesFor(of, std::nullopt, entries).at("conv"), "whole");
  EXPECT_TRUE(ChoicesFor(of, LayerPart{SplitAxis::kRows, 0, 2}, entries).empty());
  KeepChoices(of, LayerPart{SplitAxis::kRows, 0, 7}, {{"conv", "most"}}, entries);
  const auto like = [&](SplitAxis axis, std::int64_t from, std::int64_t to) {
    return ChoicesForLike(of, LayerPart{axis, from, to}, entries);
  };
  EXPECT_EQ(like(SplitAxis::kRows, 4, 8).at("conv"), "bottom");
  EXPECT_EQ(like(SplitAxis::kRows, 0, 6).at("conv"), "most");
  EXPECT_EQ(like(SplitAxis::kRows, 6, 8).at("conv"), "top") << "of 4 as the other is, and before it";
  EXPECT_TRUE(like(SplitAxis::kChannels, 0, 4).empty());
  of.batch = 2;
  EXPECT_TRUE(ChoicesFor(of, std::nullopt, entries).empty());
}

TEST_F(KernelsOfPlans, OfWhatIsComputedAreForAnyModelAndBetterTriedOnesStay) {
  KernelEntry of, other;
  of.model = "m";
  other.model = "n";
  of.unit = other.unit = "gpu";
  std::vector<KernelEntry> entries;
  const auto kept = [&](const char* choice) {
    KeepProblems(of, {{"conv", choice}}, entries);
    return ProblemsFor(other, entries).at("conv");
  };
  EXPECT_EQ(kept("first, untried"), "first, untried");
  EXPECT_EQ(kept("second, few tried"), "second, few tried");
  EXPECT_EQ(kept("first, untried"), "second, few tried");
  EXPECT_EQ(kept("third"), "third");
  EXPECT_EQ(kept("second, few tried"), "third");
  EXPECT_EQ(entries.size(), 1u);
  EXPECT_EQ(CountUnfinished({{"a", "x, untried"}, {"b", "x"}, {"c", "x, few tried"}}), 2);
  EXPECT_TRUE(Compacted(entries).empty()) << "a profile of times has those of its models alone";
  other.library = "another";
  EXPECT_TRUE(ProblemsFor(other, entries).empty());
}

TEST_F(KernelsOfPlans, OfAStoreAreAddedToItsFile) {
  const std::filesystem::path file = folder / "store.profile.json";
  KernelEntry of;
  of.model = "m";
  of.unit = "gpu";
  of.library = "numbers 1.0";
  {
    KernelStore none(file);
    EXPECT_TRUE(none.entries().empty());
    none.Write("board");
    EXPECT_FALSE(std::filesystem::exists(file)) << "there is nothing to keep";
    KeepKernels(of, std::nullopt, {{{"conv", "fast"}}, true, {{"conv 1x1", "fast"}}}, none.entries());
    none.Write("board");
  }
  KernelStore again(file);
  ASSERT_EQ(again.entries().size(), 2u);
  const SegmentSpec with = WithKept({}, of, std::nullopt, again.entries());
  EXPECT_EQ(with.kernels, (KernelChoices{{"conv", "fast"}}));
  EXPECT_EQ(with.problems, (KernelChoices{{"conv 1x1", "fast"}}));
}

TEST_F(KernelsOfPlans, OfASegmentThatAreTheModelsAreNotWrittenTwice) {
  KernelEntry whole;
  whole.model = "m";
  KernelEntry group = whole, other = whole;
  group.layers = {"a", "b"};
  other.layers = {"c"};
  std::vector<KernelEntry> entries;
  KeepChoices(group, std::nullopt, {{"a", "1"}, {"b", "3"}}, entries);
  KeepChoices(other, std::nullopt, {{"c", "4"}}, entries);
  KeepChoices(whole, std::nullopt, {{"a", "1"}, {"b", "2"}, {"c", "4"}}, entries);
  const std::vector<KernelEntry> compact = Compacted(entries);
  ASSERT_EQ(compact.size(), 2u);
  EXPECT_EQ(compact[0].choices, (KernelChoices{{"b", "3"}}));
  for (const KernelEntry& of : entries) {
    for (const auto& [step, choice] : of.choices) {
      EXPECT_EQ(ChoicesFor(of, std::nullopt, compact).at(step), choice) << step;
    }
  }
}

TEST_F(KernelsOfPlans, OfAStoreAreTakenWhenTimesAreMeasuredAndOnesOfOtherUnitsStayThere) {
  Plan(kWhole);
  const HarnessHost place = Place(&fake);
  const std::string order = R"({"tandem": "profile-request/1", "platform": "board.platform.json",
      "models": ["./m0.json"], "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.1})";
  const ProfileOrder request =
      ReadProfileOrder(JsonDocument::Parse(order, (folder / "order.json").string()).root());
  KernelEntry other;
  other.model = "resnet18";
  other.unit = "elsewhere";
  other.library = "numbers 1.0";
  ProfilerOptions options;
  options.backend_of = place.backend_of;
  options.kernel_store = folder / "store.profile.json";
  {
    KernelStore store(options.kernel_store);
    KeepChoices(other, std::nullopt, {{"conv", "fast"}}, store.entries());
    store.Write("board");
  }
  const auto units_of = [](const std::vector<KernelEntry>& entries) {
    std::set<std::string> names;
    for (const KernelEntry& entry : entries) names.insert(entry.unit);
    return names;
  };
  EXPECT_EQ(units_of(MeasureProfile(request, options).profile.kernels), std::set<std::string>{"fake"});
  EXPECT_EQ(units_of(KernelStore(options.kernel_store).entries()),
            (std::set<std::string>{"elsewhere", "fake"}));
  const int chosen = fake.chosen_anew;
  EXPECT_GT(chosen, 0);
  (void)MeasureProfile(request, options);
  EXPECT_EQ(fake.chosen_anew, chosen) << "all of them are known";
}

// From the profiler through a file to a run, with parts.
TEST_F(KernelsOfPlans, AreMeasuredAndThenTaken) {
  Plan(kWhole);  // writes the board and the models
  const HarnessHost place = Place(&fake);
  const std::string order = R"({"tandem": "profile-request/1", "platform": "board.platform.json",
      "models": ["./m0.json"], "layers": true, "parts": {"shares": [0.5], "least_us": 0}, "min_samples": 3,
      "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.1})";
  const ProfileOrder request =
      ReadProfileOrder(JsonDocument::Parse(order, (folder / "order.json").string()).root());
  ProfilerOptions options;
  options.backend_of = place.backend_of;
  ProfilerOutcome first = MeasureProfile(request, options);
  const int all = fake.chosen_anew;
  EXPECT_GT(all, 6);
  const std::string text = ProfileJson(first.profile);
  const Profile read = ReadProfile(JsonDocument::Parse(text, "p").root());
  EXPECT_EQ(ProfileJson(read), text);
  std::size_t parts = 0;
  for (const KernelEntry& entry : read.kernels) {
    EXPECT_EQ(entry.library, "numbers 1.0");
    EXPECT_EQ(entry.unit, "fake");
    for (const auto& [step, choice] : entry.choices) parts += step.find(" of ") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(parts, 3u);

  // What was measured so far goes on with the same kernels.
  for (KernelEntry& entry : first.samples.kernels) {
    for (auto& [step, choice] : entry.choices) choice = "slow";
  }
  for (auto& [source, samples] : first.samples.sources) samples.done = false;
  options.kept = folder / "kept.json";
  WriteFile(options.kept, ProfilerSamplesJson(first.samples));
  options.resume = true;
  const Profile second = MeasureProfile(request, options).profile;
  for (const KernelEntry& entry : second.kernels) {
    for (const auto& [step, choice] : entry.choices) EXPECT_EQ(choice, "slow") << step;
  }

  loads = ", " + text.substr(text.find("\"kernels\""));
  loads.resize(loads.rfind('}'));
  fake.chosen_anew = 0;
  EXPECT_EQ(WarningsOf(kLayers, true), Warnings{});
  EXPECT_EQ(fake.chosen_anew, 0);
}

}  // namespace
}  // namespace tandem
