// Can what `tandem-device info` tells be used as it is, here and where a backend is missing?
#include "device/machine/device_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/json_text.h"

namespace tandem {
namespace {

DeviceInfo TwoClusters() {
  DeviceInfo info;
  info.host.cpu_name = "A Processor";
  info.host.memory_bytes = std::int64_t{4} << 30;
  info.host.clusters = {{{0, 1}, 0, 1400000, 0, 1, "performance"}, {{2, 3}, 0, 2000000, 0, 2, ""}};
  info.platform.name = "a-board";
  info.platform.memories.push_back({"dram", info.host.memory_bytes, std::nullopt});
  return info;
}

const DeviceBackend* Find(std::string_view name) {
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() == name) return backend;
  }
  return nullptr;
}

TEST(DeviceInfo, EveryBackendIsThereOrMissingWithAReason) {
  const DeviceInfo info = LookAtDevice();
  for (const char* name : {"cpu", "cuda"}) {
    const auto found = std::find_if(info.backends.begin(), info.backends.end(),
                                    [&](const BackendInfo& backend) { return backend.name == name; });
    ASSERT_NE(found, info.backends.end()) << name;
    EXPECT_TRUE(!found->state.found.empty() || !found->state.trouble.empty()) << name;
    EXPECT_EQ(Find(name) == nullptr, found->state.libraries.empty()) << name;
  }
}

TEST(DeviceInfo, PlatformIsOneThatScenariosTake) {
  const DeviceInfo info = LookAtDevice();
  const auto json = nlohmann::json::parse(DeviceInfoJson(info));
  if (info.platform.units.empty()) {
    EXPECT_TRUE(json.at("platform").is_null());
    return;
  }
  const JsonDocument document = JsonDocument::Parse(json.at("platform").dump(), "info");
  const Platform platform = ReadPlatform(document.root());
  EXPECT_EQ(platform.UnitNames(), info.platform.UnitNames());
}

TEST(DeviceInfo, VersionsNameTheProgramAndEveryLibrary) {
  const DeviceInfo info = LookAtDevice();
  const auto json = nlohmann::json::parse(DeviceInfoJson(info));
  EXPECT_FALSE(json.at("versions").at("tandem").get<std::string>().empty());
  for (const BackendInfo& backend : info.backends) {
    for (const Library& library : backend.state.libraries) {
      EXPECT_EQ(json.at("versions").at(library.name), library.version);
    }
  }
}

TEST(DeviceInfo, WithoutUnitsThePlatformIsNullAndTheTextSaysSo) {
  DeviceInfo info = TwoClusters();
  info.backends.push_back({"cpu", {{}, {}, "built without oneDNN"}});
  EXPECT_TRUE(nlohmann::json::parse(DeviceInfoJson(info)).at("platform").is_null());
  const std::string text = DeviceInfoText(info, 80);
  EXPECT_NE(text.find("off: built without oneDNN"), std::string::npos) << text;
  EXPECT_NE(text.find("No unit can be had here."), std::string::npos) << text;
}

TEST(DeviceInfo, CpuBackendOffersAUnitForEachCluster) {
  const DeviceBackend* cpu = Find("cpu");
  if (cpu == nullptr) GTEST_SKIP() << "built without oneDNN";
  DeviceInfo info = TwoClusters();
  const BackendState state = cpu->Look(info.host, info.platform);
  EXPECT_EQ(info.platform.UnitNames(), (std::vector<std::string>{"cpu0", "cpu1"}));
  EXPECT_EQ(info.platform.units[1].cores, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(info.platform.units[1].backend, &DeclaredBackend("cpu"));
  ASSERT_EQ(state.found.size(), 2u);
  EXPECT_EQ(state.found[0], "cpu0: 2 cores at up to 1400 MHz, governor performance");
}

TEST(DeviceInfo, AUnitSaysOfWhichClustersItIs) {
  const DeviceBackend* cpu = Find("cpu");
  if (cpu == nullptr) GTEST_SKIP() << "built without oneDNN";
  DeviceInfo info = TwoClusters();
  info.host.clusters[1].parts = {{{2}, 1, 0, 2000000, 0}, {{3}, 2, 0, 1900000, 0}};
  EXPECT_EQ(cpu->Look(info.host, info.platform).found.at(1),
            "cpu1: 2 cores at up to 2000 MHz, 2 of them share one, clusters 2 and 3");
}

TEST(DeviceInfo, CudaBackendWithoutACardSaysWhy) {
  const DeviceBackend* cuda = Find("cuda");
  if (cuda == nullptr) GTEST_SKIP() << "built without CUDA or cuDNN";
  DeviceInfo info = TwoClusters();
  const BackendState state = cuda->Look(info.host, info.platform);
  EXPECT_EQ(state.found.size(), info.platform.units.size());
  EXPECT_TRUE(!state.found.empty() || !state.trouble.empty());
  for (const Unit& unit : info.platform.units) EXPECT_TRUE(unit.device.has_value()) << unit.name;
}

}  // namespace
}  // namespace tandem
