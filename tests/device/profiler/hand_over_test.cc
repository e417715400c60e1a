// Are hand-overs, parts that wait for each other and pauses measured as they are asked for, of units that are
// there?
#include "device/profiler/hand_over.h"

#include <gtest/gtest.h>

#include <set>

#include "device/profiler/dispatch_cost.h"
#include "device/profiler/dispatched_layers.h"
#include "device/profiler/profiler.h"
#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/two_units.h"

namespace tandem {
namespace {

TEST(DispatchedLayers, RunWhereTheyAreToAndAfterWhatTheyRead) {
  DispatchedLayers layers(TwoReferenceUnits(), UnitId(0), UnitId(1), 4096, BackendOf);
  const auto spans = layers.Run({{"a", {}, 0}, {"b", {"a"}, 1}, {"c", {"a", "b"}, 0}}, 5, 4096);
  ASSERT_EQ(spans.size(), 3U);
  for (std::size_t r = 0; r < 5; ++r) {
    const Span &a = spans.at("a").at(r), &b = spans.at("b").at(r), &c = spans.at("c").at(r);
    EXPECT_EQ(a.unit, UnitId(0));
    EXPECT_EQ(b.unit, UnitId(1));
    EXPECT_EQ(c.unit, UnitId(0));
    EXPECT_EQ(b.start, a.end) << "nobody else is to be waited for";
    EXPECT_EQ(c.start, b.end);
    if (r == 0) continue;
    EXPECT_EQ(a.start, spans.at("c").at(r - 1).end);
  }
  EXPECT_EQ(layers.Run({{"a", {}, 1}, {"b", {"a"}, 1}}, 3, 0).at("b").size(), 3U) << "again, otherwise";
}

TEST(HandOverMeasuring, HasAnEntryForEachSize) {
  HandOverMeasurement how;
  how.sizes = {0, 4096};
  how.requests = 3;
  how.rounds = 3;
  const auto entries = MeasureHandOver(TwoReferenceUnits(), UnitId(1), UnitId(0), how, 1, BackendOf);
  ASSERT_EQ(entries.size(), 2U);
  for (std::size_t size = 0; size < 2; ++size) {
    EXPECT_EQ(entries[size].from, "second");
    EXPECT_EQ(entries[size].to, "first");
    EXPECT_EQ(entries[size].bytes, how.sizes[size]);
    EXPECT_EQ(entries[size].time.samples.size(), 3U);
    for (const Nanos sample : entries[size].time.samples) EXPECT_GE(sample, Nanos{0});
  }
}

TEST(SplitDispatch, HasASampleForEachRound) {
  SplitDispatchMeasurement how;
  how.requests = 3;
  how.rounds = 4;
  const std::vector<Nanos> samples = MeasureSplitDispatch(TwoReferenceUnits(), UnitId(0), UnitId(1), how, 1);
  EXPECT_EQ(samples.size(), 4U);
  for (const Nanos sample : samples) EXPECT_GE(sample, Nanos{0});
}

TEST(HandOverMeasuring, AndPausesAreAskedForAndReadBack) {
  const TempFolder folder;
  WriteFile(folder / "tiny.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
      {"name": "data", "op": "input", "shape": [1, 3, 8, 8]},
      {"name": "relu", "op": "relu", "inputs": ["data"]}]})");
  const auto request = [&](const std::string& members) {
    return ReadProfileOrder(
        JsonDocument::Parse(R"({"tandem": "profile-request/1", "platform": {"name": "board",
            "memories": [{"name": "dram"}], "units": [
            {"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference"},
            {"name": "b", "kind": "cpu", "memory": "dram", "backend": "reference"}]},
            "models": ["./tiny.json"], "groups": false, "co_running": "none", "min_samples": 3, "noise": 0.5,
            "warm_up_ms": 0, "budget_s": 0.1)" +
                                members + "}",
                            (folder / "request.json").string())
            .root());
  };
  const Profile plain = MeasureProfile(request(""), {}).profile;
  EXPECT_TRUE(plain.hand_overs.empty() && plain.after_idle.empty());
  const ProfilerOutcome outcome = MeasureProfile(request(R"(, "hand_overs": true, "pauses": true)"), {});
  std::set<std::pair<std::string, std::string>> pairs;
  for (const HandOverEntry& entry : outcome.profile.hand_overs) pairs.emplace(entry.from, entry.to);
  EXPECT_EQ(pairs, (std::set<std::pair<std::string, std::string>>{{"a", "b"}, {"b", "a"}}));
  EXPECT_EQ(outcome.profile.hand_overs.size(), 2U * HandOverMeasurement().sizes.size());
  ASSERT_EQ(outcome.profile.after_idle.size(), 2U * 2U * 4U) << "units, of the model and of any, pauses";
  for (const AfterIdleEntry& entry : outcome.profile.after_idle) EXPECT_GT(entry.slowdown, 0);
  const ProfilerSamples again =
      ReadProfilerSamples(JsonDocument::Parse(ProfilerSamplesJson(outcome.samples), "kept").root());
  EXPECT_EQ(again.hand_overs, outcome.samples.hand_overs);
  EXPECT_EQ(again.after_idle.size(), outcome.samples.after_idle.size());
}

}  // namespace
}  // namespace tandem
