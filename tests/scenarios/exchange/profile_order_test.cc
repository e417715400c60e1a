// Is what is to be measured read as it is written, and asked for by a scenario as little as it needs?
#include "scenarios/exchange/profile_order.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "profiles/base/files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

ProfileOrder ReadOrder(const std::string& text, const ScenarioOptions& options = {}) {
  return ReadProfileOrderFrom(JsonDocument::Parse(text, "r.json").root(), options);
}

// A board of three units, as a device may offer it.
ScenarioOptions Device() {
  return {ReadPlatform(JsonDocument::Parse(R"({"tandem": "platform/1", "name": "board",
      "memories": [{"name": "dram"}], "units": [
      {"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference"},
      {"name": "b", "kind": "cpu", "memory": "dram", "backend": "reference"},
      {"name": "c", "kind": "cpu", "memory": "dram", "backend": "reference"}]})",
                                           "device")
                           .root())};
}

ProfileOrder OfScenario(const std::string& policies, const std::string& streams = "") {
  return ReadOrder(R"({"tandem": "scenario/1", "name": "s", "platform": "device", "seed": 7, "streams": [
      {"name": "x", "model": "squeezenet_1_1", "count": 3, "arrival": {"type": "offline"}},
      {"name": "y", "model": "squeezenet_1_1", "count": 2, "batch": 4, "arrival": {"type": "offline"}},
      {"name": "z", "model": "squeezenet_1_1", "count": 9, "arrival": {"type": "offline"}})" +
                       streams + R"(], "policies": [)" + policies + "]}",
                   Device());
}

TEST(ProfileOrder, EveryKeyIsRead) {
  const ProfileOrder request = ReadProfileOrderFrom(
      JsonDocument::ReadFile(TANDEM_TEST_DIR "/good/what_to_measure.profile-request.json").root());
  EXPECT_EQ(request.platform.units.size(), 2U);
  EXPECT_EQ(request.units, std::vector<std::string>{"first"});
  EXPECT_EQ(request.models, (std::vector<ProfiledModel>{{"squeezenet_1_1", 1}, {"resnet18", 4}}));
  EXPECT_TRUE(request.groups && request.layers && request.cold && request.mapped);
  EXPECT_EQ(request.variants, (std::map<std::string, std::vector<std::string>>{{"first", {"fp32", "fp16"}}}));
  ASSERT_TRUE(request.parts.has_value());
  EXPECT_EQ(request.parts->axes, std::vector<SplitAxis>{SplitAxis::kRows});
  EXPECT_EQ(request.parts->shares, (std::vector<double>{0.125, 0.5}));
  EXPECT_EQ(request.parts->least, Nanos{12'500});
  EXPECT_EQ(request.parts->of, (std::vector<PartsWish::Piece>{{"resnet18", {"conv1", "bn1"}}}));
  EXPECT_EQ(request.co_running, CoRunningWish::kPairs);
  EXPECT_EQ(request.background, (std::vector<LoadWish>{{"first", 40}, {"first", 60}}));
  EXPECT_TRUE(request.hand_overs && request.pauses && request.energy);
  EXPECT_EQ(request.noise, 0.02);
  EXPECT_EQ(request.budget, std::chrono::milliseconds(12500));
  EXPECT_EQ(request.min_samples, 20);
  EXPECT_EQ(request.warm_up, std::chrono::microseconds(50500));
  EXPECT_EQ(request.seed, UINT64_MAX);
}

TEST(ProfileOrder, WritingAndReadingAgainGivesTheSameBytes) {
  const auto document = JsonDocument::ReadFile(TANDEM_TEST_DIR "/good/what_to_measure.profile-request.json");
  const std::string once = ProfileOrderJson(ReadProfileOrder(document.root()));
  EXPECT_EQ(ProfileOrderJson(ReadOrder(once)), once);
}

// Models by batches, units by threads; clock states are taken one after the other.
TEST(ProfileOrder, AxesAreMultipliedOut) {
  const auto document = JsonDocument::ReadFile(TANDEM_TEST_DIR "/good/what_to_sweep.profile-request.json");
  const ProfileOrder request = ReadProfileOrder(document.root());
  EXPECT_EQ(request.models,
            (std::vector<ProfiledModel>{{"squeezenet_1_1", 1}, {"squeezenet_1_1", 8}, {"resnet18", 4}}));
  EXPECT_EQ(request.platform.UnitNames(),
            (std::vector<std::string>{"big-t1", "big-t2", "little-t1", "little-t2", "little-t4"}));
  EXPECT_EQ(request.platform.units[1].cores, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(request.platform.units[3].cores, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(request.platform.name, "two clusters-threads");
  EXPECT_EQ(request.background, (std::vector<LoadWish>{{"big-t1", 40}, {"big-t2", 40}}));
  EXPECT_EQ(request.clock_states, (std::vector<ClockState>{{"as_it_is", "", "", ""},
                                                           {"10w", "nvpmodel -m 2", "nvpmodel -q", "10W"}}));
  const std::string once = ProfileOrderJson(request);
  EXPECT_EQ(ProfileOrderJson(ReadOrder(once)), once) << "what is multiplied out stays so";
}

TEST(ProfileOrder, OnlyUnitsThatAreAskedForAreMadeOfThreads) {
  ProfileOrder request;
  request.platform = ReadPlatform(JsonDocument::Parse(R"({"tandem": "platform/1", "name": "p",
      "memories": [{"name": "m"}], "units": [
      {"name": "a", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [0, 1]},
      {"name": "b", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [2, 3]},
      {"name": "c", "kind": "npu", "memory": "m", "backend": "emulated"}]})",
                                                      "p")
                                      .root());
  request.units = {"b", "c"};
  request.variants = {{"b", {"fp32"}}};
  request.threads = {2, 1};
  request = Expanded(request);
  EXPECT_EQ(request.platform.UnitNames(), (std::vector<std::string>{"a", "b-t2", "b-t1", "c"}));
  EXPECT_EQ(request.units, (std::vector<std::string>{"b-t2", "b-t1", "c"}));
  EXPECT_TRUE(request.variants.contains("b-t1") && !request.variants.contains("b"));
  EXPECT_TRUE(request.threads.empty());
}

TEST(ProfileOrder, DefaultsAreThoseOfTheSchema) {
  const ProfileOrder request =
      ReadOrder(R"({"tandem": "profile-request/1", "platform": "device", "models": ["resnet18"]})", Device());
  EXPECT_EQ(request.platform.name, "board");
  EXPECT_TRUE(request.units.empty());
  EXPECT_TRUE(request.groups);
  EXPECT_FALSE(request.layers || request.cold || request.energy || request.mapped);
  EXPECT_TRUE(request.variants.empty());
  EXPECT_TRUE(request.background.empty());
  EXPECT_EQ(request.co_running, CoRunningWish::kCurves);
  EXPECT_EQ(request.noise, 0.01);
  EXPECT_EQ(request.budget, Nanos{0});
  EXPECT_EQ(request.min_samples, 10);
  EXPECT_EQ(request.warm_up, std::chrono::milliseconds(200));
}

TEST(ProfileOrder, AScenarioNeedsEachModelAndBatchOnce) {
  const ProfileOrder request = OfScenario(R"("fcfs")");
  EXPECT_EQ(request.models, (std::vector<ProfiledModel>{{"squeezenet_1_1", 1}, {"squeezenet_1_1", 4}}));
  EXPECT_EQ(request.platform.name, "board");
  EXPECT_EQ(request.seed, 7U);
  EXPECT_EQ(request.co_running, CoRunningWish::kPairs);
}

TEST(ProfileOrder, GroupsAndLayersAreMeasuredWhereAPolicyCutsAtThem) {
  const ProfileOrder models = OfScenario(R"("fcfs", "eft")");
  EXPECT_FALSE(models.groups || models.layers);
  const ProfileOrder groups = OfScenario(R"("fcfs", {"name": "eft", "granularity": "group"})");
  EXPECT_TRUE(groups.groups && !groups.layers);
  const ProfileOrder layers = OfScenario(R"({"name": "fcfs", "granularity": "layer"})");
  EXPECT_TRUE(layers.groups && layers.layers);
  EXPECT_TRUE(OfScenario(R"("best")").groups) << "it chooses where to cut";
}

TEST(ProfileOrder, AScenariosLoadsAreMeasuredWhereTheyCanBeMade) {
  const auto request = [](const std::string& members) {
    return ReadOrder(
        R"({"tandem": "scenario/1", "name": "s", "platform": {"name": "board", "memories": [{"name": "m"}],
        "units": [{"name": "a", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [0]},
                  {"name": "b", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [1]},
                  {"name": "c", "kind": "npu", "memory": "m", "backend": "emulated"},
                  {"name": "d", "kind": "gpu", "memory": "m", "backend": "cuda", "device": 0},
                  {"name": "e", "kind": "gpu", "memory": "m"}]},
        "streams": [{"name": "x", "model": "squeezenet_1_1", "count": 3, "arrival": {"type": "offline"}}],
        "background": [{"unit": "c", "load_pct": 20}, {"unit": "b", "load_pct": 40}, {"unit": "a", "load_pct": 0},
                       {"unit": "d", "load_pct": 60}, {"unit": "e", "load_pct": 60}, {"command": ["stress"]}])" +
        members + "}");
  };
  EXPECT_EQ(request("").background, (std::vector<LoadWish>{{"b", 40}, {"d", 60}}));
  EXPECT_FALSE(request("").energy);
  EXPECT_TRUE(request(R"(, "objective": "energy")").energy);
}

TEST(ProfileOrder, PartsAreMeasuredWhereAPolicyMaySplitLayers) {
  EXPECT_FALSE(OfScenario(R"("fcfs", "eft")").parts.has_value());
  const ProfileOrder request = OfScenario(R"("fcfs", "best")");
  ASSERT_TRUE(request.parts.has_value());
  EXPECT_EQ(request.parts->axes.size(), 2U);
  EXPECT_TRUE(request.parts->of.empty()) << "all that take long enough";
}

TEST(ProfileOrder, HandOversAreMeasuredWhereModelsMayBeCutAndPausesWhereRequestsComeByTheClock) {
  EXPECT_FALSE(OfScenario(R"("fcfs")").hand_overs);
  EXPECT_TRUE(OfScenario(R"({"name": "fcfs", "granularity": "layer"})").hand_overs);
  EXPECT_FALSE(OfScenario(R"("best")").pauses);
  const ProfileOrder request = OfScenario(
      R"("fcfs")",
      R"(, {"name": "p", "model": "alexnet", "count": 2, "arrival": {"type": "periodic", "period_us": 1000}})");
  EXPECT_TRUE(request.pauses);
  EXPECT_NE(ProfileOrderJson(request).find("\"pauses\": true"), std::string::npos);
  EXPECT_EQ(ProfileOrderJson(request).find("hand_overs"), std::string::npos);
}

TEST(ProfileOrder, MappingsAreMeasuredWhereAScenarioMayUseThem) {
  const auto request = [](const std::string& transfer, const std::string& policy) {
    return ReadOrder(R"({"tandem": "scenario/1", "name": "s", "platform": {"name": "board",
        "memories": [{"name": "m"}, {"name": "v"}],
        "links": [{"from": "m", "to": "v", "latency_us": 1, "bandwidth_bytes_per_s": 1000000000}],
        "units": [{"name": "a", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [0]},
                  {"name": "g", "kind": "gpu", "memory": "v", "backend": "cuda", "device": 0}]},
        "streams": [{"name": "x", "model": "squeezenet_1_1", "count": 3, "arrival": {"type": "offline"}}],
        "transfer": ")" +
                     transfer + R"(", "policies": [")" + policy + R"("]})");
  };
  EXPECT_FALSE(request("copy", "fcfs").mapped);
  EXPECT_FALSE(request("none", "best").mapped);
  EXPECT_TRUE(request("zero_copy", "fcfs").mapped);
  EXPECT_TRUE(request("copy", "best").mapped) << "it tries what a mapping gains";
  EXPECT_FALSE(OfScenario(R"("best")").mapped) << "there is one memory";
}

TEST(ProfileOrder, ManyModelsAreWishedInPairsToo) {
  std::string streams;
  for (const char* model : {"alexnet", "vgg16", "resnet18", "resnet50", "googlenet"}) {
    streams += std::string(R"(, {"name": ")") + model + R"(", "model": ")" + model +
               R"(", "count": 1, "arrival": {"type": "offline"}})";
  }
  EXPECT_EQ(OfScenario(R"("fcfs")", streams).co_running, CoRunningWish::kPairs) << "the budget decides";
}

TEST(ProfileOrder, APlanNeedsWhatItDecided) {
  const ProfileOrder request =
      ReadProfileOrderFrom(JsonDocument::ReadFile(TANDEM_TEST_DIR "/good/schedule.plan.json").root());
  EXPECT_EQ(request.platform.name, "tinker-edge-r");
  EXPECT_FALSE(request.models.empty());
}

TEST(ProfileOrder, ProfilesThatAScenarioNamesNeedNotBeThereYet) {
  const auto request = [](const std::string& profile, const std::string& members) {
    return ReadOrder(
        R"({"tandem": "scenario/1", "name": "s", "platform": {"name": "board", "memories": [{"name": "m"}],
        "units": [{"name": "a", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [0]},
                  {"name": "g", "kind": "gpu", "memory": "m", "backend": "cuda", "device": 0}]},
        "streams": [{"name": "x", "model": "squeezenet_1_1", "count": 3, "arrival": {"type": "offline"}}],
        "profiles": [)" +
        profile + "]" + members + "}");
  };
  const std::string missing = R"("./not_there_yet.profile.json")";
  EXPECT_EQ(request(missing, "").models, (std::vector<ProfiledModel>{{"squeezenet_1_1", 1}}));
  const std::string without_the_model =
      R"({"tandem": "profile/1", "platform": "board", "origin": {"kind": "estimated", "method": "made up"},
          "entries": [{"model": "resnet18", "unit": "a", "layers": "*", "median_us": 1}]})";
  EXPECT_EQ(request(without_the_model, "").models, (std::vector<ProfiledModel>{{"squeezenet_1_1", 1}}));
  EXPECT_EQ(request(missing, R"(, "variants": {"g": "fp16"})").variants,
            (std::map<std::string, std::vector<std::string>>{{"g", {"fp16"}}}))
      << "the scenario says it, not the profile";
  EXPECT_NE(ErrorOf([&] { request(missing, R"(, "seed": -1)"); }), "no error");
}

TEST(ProfileOrder, AModelOfAFileIsKnownByItsWholePath) {
  const fs::path folder = fs::path(testing::TempDir()) / "profile_request";
  fs::create_directories(folder);
  WriteFile(
      folder / "m.json",
      R"({"tandem": "model/1", "name": "m", "layers": [{"name": "d", "op": "input", "shape": [1, 2, 4, 4]},
                {"name": "r", "op": "relu", "inputs": ["d"]}]})");
  const JsonDocument document =
      JsonDocument::Parse(R"({"tandem": "profile-request/1", "platform": "device", "models": ["./m.json"]})",
                          (folder / "request.json").string());
  EXPECT_EQ(ReadProfileOrder(document.root()).models.at(0).model,
            fs::weakly_canonical(folder / "m.json").string());
}

TEST(ProfileOrder, TheDeviceHasToBeKnownForAScenarioOnIt) {
  EXPECT_EQ(ErrorOf([] {
              ReadOrder(R"({"tandem": "scenario/1", "name": "s", "platform": "device", "streams": [
                  {"name": "x", "model": "resnet18", "count": 1, "arrival": {"type": "offline"}}]})");
            }),
            R"(r.json:/platform: "device" is known only where the device answers)");
}

TEST(ProfileOrder, AnotherKindOfFileIsRefused) {
  EXPECT_EQ(
      ErrorOf([] { ReadOrder(R"({"tandem": "trace/1"})"); }),
      R"(r.json:/tandem: a request, a scenario or a plan says what is to be measured, this is "trace/1"; )"
      R"(known: profile-request/1, scenario/1, plan/1)");
}

}  // namespace
}  // namespace tandem
