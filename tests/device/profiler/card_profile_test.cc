// Is a unit with a memory of its own measured where its tensors lie, with its copies, mappings and
// precisions, and is the host's code never sent there?
#include <gtest/gtest.h>
#include <algorithm>
#include <set>

#include "device/profiler/profiler.h"
#include "device/profiler/samples/result.h"
#include "device/profiler/transfers.h"
#include "policies/problem/copy_routes.h"
#include "profiles/base/files.h"
#include "tests/support/device/measured_card.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr const char* kCardModel = R"({"tandem": "model/1", "name": "tiny", "layers": [
  {"name": "data", "op": "input", "shape": [1, 3, 8, 8]},
  {"name": "conv", "op": "conv", "inputs": ["data"], "out_channels": 8, "kernel": [3, 3]},
  {"name": "relu", "op": "relu", "inputs": ["conv"]},
  {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 5}]})";

class CardProfile : public ::testing::Test {
 protected:
  CardProfile() { WriteFile(folder_ / "tiny.json", kCardModel); }

  ProfileOrder Request(const std::string& members = "", bool linked = true) {
    const std::string text = R"({"tandem": "profile-request/1", "platform": )" + BoardWithCardJson(linked) +
                             R"(, "models": ["./tiny.json"], "units": ["gpu"], "min_samples": 3,
                             "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.1)" +
                             members + "}";
    return ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
  }

  ProfilerOptions Options() const {
    ProfilerOptions options;
    options.backend_of = card_.Found();
    return options;
  }

  TempFolder folder_;
  MeasuredCard card_;
};

std::vector<CostEntry> EntriesOf(const Profile& profile, bool mapped) {
  std::vector<CostEntry> entries;
  std::copy_if(profile.entries.begin(), profile.entries.end(), std::back_inserter(entries),
               [&](const CostEntry& entry) { return entry.mapped == mapped; });
  return entries;
}

TEST_F(CardProfile, TensorsLieInTheUnitsMemory) {
  const ProfilerOutcome outcome = MeasureProfile(Request(R"(, "layers": true)"), Options());
  EXPECT_EQ(outcome.profile.entries.size(), 4U);
  EXPECT_GT(card_.calls().runs.load(), 12);
  EXPECT_EQ(card_.calls().host_reads.load(), 0);
  for (const CostEntry& entry : outcome.profile.entries) {
    EXPECT_EQ(entry.device.has_value(), entry.layers.empty());
    ASSERT_TRUE(entry.core) << "of each cut: it is the host's thread that starts it";
    EXPECT_GT(*entry.core, Nanos{0});
  }
}

TEST_F(CardProfile, TheUnitsOwnClockIsSetAgainstTheHosts) {
  const ProfilerOutcome outcome = MeasureProfile(Request(), Options());
  const std::vector<ProfileSummaryRow> rows = SummaryOf(outcome.samples, 0.5);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].device, Nanos{100});
  const std::string text = ProfilerSummaryText(outcome.samples, 0.5, 100);
  EXPECT_NE(text.find("launch and wait, us"), std::string::npos) << text;
  EXPECT_NE(text.find("overhead of a measurement: "), std::string::npos) << text;
  EXPECT_NE(outcome.profile.origin.note.find("overhead of a measurement: "), std::string::npos);
}

TEST_F(CardProfile, CopiesAreMeasuredBothWaysBySize) {
  const ProfileOrder request = Request();
  const Profile measured = MeasureProfile(request, Options()).profile;
  const Profile profile = ReadProfile(JsonDocument::Parse(ProfileJson(measured), "p.json").root());
  CheckUnits(profile, request.platform);
  std::set<std::int64_t> in, out;
  for (const TransferEntry& entry : profile.transfers) {
    EXPECT_GE(entry.time.samples.size(), 3U);
    (entry.from == "dram" ? in : out).insert(entry.bytes);
  }
  // 5, 192 and 288 numbers; what lies inside takes part in the largest alone.
  EXPECT_EQ(in, (std::set<std::int64_t>{20, 768, 1024, 4096}));
  EXPECT_EQ(out, in);
  EXPECT_GT(card_.calls().copies.load(), 12);

  Scenario scenario;
  scenario.platform = request.platform;
  scenario.profiles = {profile};
  const CopyRoutes routes(scenario);
  for (const TransferEntry& entry : profile.transfers) {
    const MemoryId from = scenario.platform->FindMemory(entry.from);
    const MemoryId to = scenario.platform->FindMemory(entry.to);
    EXPECT_EQ(routes.Time(from, to, entry.bytes), entry.time.median);
  }
}

TEST_F(CardProfile, WithoutALinkTheLineToAddIsSaid) {
  const ProfilerOutcome outcome = MeasureProfile(Request("", false), Options());
  EXPECT_TRUE(outcome.profile.transfers.empty());
  ASSERT_EQ(outcome.samples.notes.size(), 1U);
  EXPECT_EQ(
      outcome.samples.notes[0],
      R"(copies to and from memory "vram" were not measured: no link of the platform joins it to "dram"; )"
      R"(such a line in "links" would: {"from": "dram", "to": "vram", "latency_us": 10, )"
      R"("bandwidth_bytes_per_s": 10000000000, "engine": true})");
}

TEST_F(CardProfile, MappedTimesStandBesideThePlainOnesWhereTheyAreAskedFor) {
  const Profile plain = MeasureProfile(Request(), Options()).profile;
  EXPECT_TRUE(EntriesOf(plain, true).empty());
  const Profile both = MeasureProfile(Request(R"(, "mapped": true)"), Options()).profile;
  EXPECT_GT(card_.calls().host_reads.load(), 0);
  const std::vector<CostEntry> mapped = EntriesOf(both, true), unmapped = EntriesOf(both, false);
  ASSERT_EQ(mapped.size(), unmapped.size());
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    EXPECT_EQ(mapped[i].layers, unmapped[i].layers);
    EXPECT_FALSE(mapped[i].device || mapped[i].inside || mapped[i].core);
  }
  EXPECT_NO_THROW(ReadProfile(JsonDocument::Parse(ProfileJson(both), "p").root()));
}

TEST_F(CardProfile, AUnitIsMeasuredInEachPrecisionAskedFor) {
  const Profile profile =
      MeasureProfile(Request(R"(, "variants": {"gpu": ["fp32", "fp16"]})"), Options()).profile;
  EXPECT_EQ(card_.opened_in_fp16.load(), 1);
  std::multiset<std::string> variants;
  for (const CostEntry& entry : profile.entries) variants.insert(entry.variant.Text());
  EXPECT_EQ(variants.count("fp32"), 4U);
  EXPECT_EQ(variants.count("fp16"), 4U);
  EXPECT_EQ(profile.loads.size(), 2U);
  EXPECT_EQ(profile.dispatch.size(), 1U);
  EXPECT_NO_THROW(ReadProfile(JsonDocument::Parse(ProfileJson(profile), "p").root()));
}

TEST_F(CardProfile, APrecisionThatTheBackendHasNotIsRefused) {
  const ProfileOrder request = Request(R"(, "variants": {"gpu": ["int8"]})");
  EXPECT_EQ(ErrorOf([&] { (void)MeasureProfile(request, Options()); }),
            R"(variants: unit "gpu" does not run in int8: the backend "card" has fp32, fp16)");
}

// What its waiting thread and its copies cost cores, whose memory it does not share.
TEST_F(CardProfile, WhatItsModelsCostCoresIsMeasuredInPairs) {
  ProfileOrder request = Request(R"(, "groups": true, "co_running": "pairs")");
  request.units.clear();
  const ProfilerOutcome outcome = MeasureProfile(request, Options());
  std::set<std::string> pairs;
  for (const CoRunningEntry& entry : outcome.profile.co_running) {
    EXPECT_TRUE(entry.layers.empty() && entry.beside_layers.empty()) << "of groups it says nothing";
    EXPECT_EQ(entry.beside_model, entry.model);
    pairs.insert(entry.unit + " beside " + entry.beside);
  }
  EXPECT_EQ(pairs, (std::set<std::string>{"cpu beside gpu", "gpu beside cpu"}));
  EXPECT_EQ(outcome.profile.co_running.size(), 2U);
  EXPECT_TRUE(outcome.profile.traffic.empty()) << "it has no part in the host's memory";
  EXPECT_EQ(card_.calls().host_reads.load(), 0);
  const auto& notes = outcome.samples.notes;
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "unit \"gpu\" has no cores for a stressor: what it costs others is measured in pairs "
                       "of models alone"),
            1);
}

TEST_F(CardProfile, WhatCannotBeDoneThereIsSaidAndLeftOut) {
  ProfileOrder request = Request(R"(, "cold": true, "co_running": "curves")");
  request.units.clear();
  const ProfilerOutcome outcome = MeasureProfile(request, Options());
  EXPECT_TRUE(outcome.profile.co_running.empty());
  for (const CostEntry& entry : outcome.profile.entries) {
    EXPECT_EQ(entry.cold.has_value(), entry.unit == "cpu");
    EXPECT_EQ(entry.core.has_value(), entry.unit == "gpu") << "a unit that is cores is busy all along";
  }
  auto notes = outcome.samples.notes;
  std::erase_if(notes,
                [](const std::string& note) { return note.starts_with("the largest cache here has "); });
  EXPECT_EQ(notes, (std::vector<std::string>{
                       R"(unit "gpu" has a memory of its own: what others cost it there was not measured)",
                       R"(unit "gpu" was not measured cold: its caches cannot be emptied from here)"}));
}

TEST_F(CardProfile, PartsOfLayersReadAndWriteThere) {
  const Profile profile =
      MeasureProfile(Request(R"(, "parts": {"shares": [0.5], "least_us": 0})"), Options()).profile;
  EXPECT_FALSE(profile.parts.empty());
}

// Counted are the segment's 10 MB and 197 numbers of its tensors. The memory's own word: 999, 998 MB are
// free before and after, 997 were in between.
TEST_F(CardProfile, WhatItsMemorySaysItselfStandsBesideWhatIsCounted) {
  ProfileOrder request = Request(R"(, "memory": true)");
  request.units = {"gpu"};
  request.platform.units[0].backend = &DeclaredBackend("command");  // none of the host's cores
  const ProfilerOutcome outcome = MeasureProfile(request, Options());
  ASSERT_EQ(outcome.profile.memory.size(), 1U);
  EXPECT_EQ(outcome.profile.memory[0].held_bytes, 10'000'000 + 197 * 4);
  const std::string said =
      "unit \"gpu\": " + TextOf(request.models[0]) +
      " holds 1 MB and took 2 MB at most by the word of the unit's memory, libraries and "
      "others there included; 11 MB are counted";
  const auto& notes = outcome.samples.notes;
  EXPECT_EQ(std::count(notes.begin(), notes.end(), said), 1);
}

TEST_F(CardProfile, CopiesThatAreKnownAreNotMeasuredAgain) {
  ProfilerOptions options = Options();
  options.kept = folder_ / "out.json.partial";
  const ProfilerOutcome first = MeasureProfile(Request(), options);
  WriteFile(options.kept, ProfilerSamplesJson(first.samples));
  options.resume = true;
  const ProfilerOutcome second = MeasureProfile(Request(), options);
  EXPECT_EQ(ProfilerSamplesJson(second.samples), ProfilerSamplesJson(first.samples));
}

TEST(TransferSizes, PowersOfFourUpToTheLargestTensorAndWhatModelsTakeAndGive) {
  EXPECT_EQ(TransferSizes({}), (std::vector<std::int64_t>{1024}));
}

}  // namespace
}  // namespace tandem
