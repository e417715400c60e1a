// Does the profiler measure what a load costs, and the energy of a model, as far as either can be told?
#include <gtest/gtest.h>
#include <algorithm>
#include <set>

#include "device/host/info.h"
#include "device/profiler/beside/loads.h"
#include "device/profiler/energy.h"
#include "device/profiler/profiler.h"
#include "device/profiler/samples/result.h"
#include "profiles/base/files.h"
#include "tests/support/device/fake_sensor.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class LoadProfile : public ::testing::Test {
 protected:
  LoadProfile() {
    WriteFile(folder_ / "tiny.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "pool", "op": "max_pool", "inputs": ["data"], "kernel": [2, 2], "stride": [2, 2]},
        {"name": "fc", "op": "fc", "inputs": ["pool"], "out_features": 3}]})");
  }

  ProfileOrder Request(const std::string& members) {
    const std::string text = R"({"tandem": "profile-request/1", "platform": {"name": "board",
        "memories": [{"name": "dram"}], "units": [
        {"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [)" +
                             std::to_string(UsableCores().front()) + R"(]},
        {"name": "plain", "kind": "cpu", "memory": "dram", "backend": "reference"}]},
        "models": ["./tiny.json", {"model": "./tiny.json", "batch": 2}], "min_samples": 3, "noise": 0.5,
        "warm_up_ms": 0, "budget_s": 0.05, "co_running": "none", "groups": false)" +
                             members + "}";
    return ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
  }

  TempFolder folder_;
};

TEST_F(LoadProfile, HasASlowdownForEachModelAndLoad) {
  const ProfileOrder request =
      Request(R"(, "background": [{"unit": "cpu", "load_pct": 50}, {"unit": "plain", "load_pct": 50}])");
  ProfilerOptions options;
  options.kept = folder_ / "out.partial";
  const ProfilerOutcome outcome = MeasureProfile(request, options);
  const auto& background = outcome.profile.background;
  ASSERT_EQ(background.size(), 1u) << "one model, whatever its batch";
  EXPECT_EQ(background[0].unit, "cpu");
  EXPECT_EQ(background[0].load_pct, 50);
  EXPECT_EQ(background[0].model, (folder_ / "tiny.json").string());
  EXPECT_TRUE(background[0].layers.empty());
  EXPECT_GT(background[0].slowdown, 0);
  EXPECT_TRUE(background[0].error);
  const auto& notes = outcome.samples.notes;
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "unit \"plain\" was not measured under a load of 50 %: nothing here can keep it busy"),
            1);
  EXPECT_NO_THROW(CheckProfile(ReadProfile(JsonDocument::Parse(ProfileJson(outcome.profile), "p").root())));

  // What is finished is not measured again.
  WriteFile(options.kept, ProfilerSamplesJson(outcome.samples));
  options.resume = true;
  EXPECT_EQ(MeasureProfile(request, options).profile.background[0].slowdown, background[0].slowdown);
}

TEST_F(LoadProfile, GroupsThatAreTooShortToTellTakeTheModels) {
  const ProfilerOutcome outcome =
      MeasureProfile(Request(R"(, "layers": true, "background": [{"unit": "cpu", "load_pct": 50}])"), {});
  std::set<std::vector<std::string>> seen;
  for (const BackgroundEntry& entry : outcome.profile.background) {
    EXPECT_TRUE(seen.insert(entry.layers).second) << "once each";
  }
  EXPECT_TRUE(seen.contains({})) << "the model is always there";
}

TEST_F(LoadProfile, EnergyIsWhatASensorTellsAboveIdle) {
  FakeBoard board;
  board.watts = 10;
  // Every look at the clock takes 100 ms, so that a run does: 10 W all the time, and nothing above it.
  const auto meter = FakeMeter(board, std::chrono::milliseconds{100});
  ProfilerOptions options;
  options.meter = meter.get();
  const ProfilerOutcome idle = MeasureProfile(Request(R"(, "units": ["cpu"], "energy": true)"), options);
  for (const CostEntry& entry : idle.profile.entries) EXPECT_FALSE(entry.energy_j);
  EXPECT_EQ(idle.samples.energy.at("cpu").idle_w, 10);
  EXPECT_NE(idle.profile.origin.note.find("energy: cpu: above idle by fake, idle 10 W"), std::string::npos)
      << idle.profile.origin.note;
}

TEST_F(LoadProfile, EnergyIsInTheEntriesOfWholeModels) {
  ProfilerSamples samples;
  const ProfiledModel model{"resnet18", 1};
  for (const ProfileCut cut : {ProfileCut::kWhole, ProfileCut::kGroups}) {
    SampledPart part;
    if (cut == ProfileCut::kGroups) part.layers = {"a"};
    part.samples = {Nanos{5}};
    samples.sources[{model, "cpu", cut, ProfileManner::kWarm}].parts.push_back(part);
  }
  MeteredEnergy& energy = samples.energy["cpu"];
  energy.sensors = "fake";
  energy.joules[model] = 0.125;
  Profile profile;
  FillProfile(samples, 0.01, profile);
  ASSERT_EQ(profile.entries.size(), 2u);
  EXPECT_EQ(profile.entries[0].energy_j, 0.125);
  EXPECT_FALSE(profile.entries[1].energy_j);
}

TEST_F(LoadProfile, WhereThereIsNoSensorTheProfileSaysWhy) {
  EnergyMeter none([] {
    std::vector<EnergySensors> found;
    found.push_back({"rapl", {}, "no package"});
    return found;
  }());
  ProfilerOptions options;
  options.meter = &none;
  const ProfilerOutcome outcome = MeasureProfile(Request(R"(, "units": ["plain"], "energy": true)"), options);
  EXPECT_TRUE(outcome.profile.origin.note.ends_with(
      "; energy: plain: unknown, no sensor tells what unit \"plain\" draws; rapl: no package"))
      << outcome.profile.origin.note;
  EXPECT_EQ(MeasureProfile(Request(R"(, "units": ["plain"])"), options).profile.origin.note.find("energy"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
