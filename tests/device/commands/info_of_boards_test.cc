// Does `tandem-device info --root` tell the boards of the studies, and those like them, as what they are?
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/device/board_trees.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

class InfoOfBoards : public ::testing::Test {
 protected:
  std::string Said(const std::string& board, const std::string& more = "") {
    WriteBoardTree(board, root_);
    const ProgramResult said = RunTandem("info --root '" + root_.string() + "' " + more);
    EXPECT_EQ(said.status, 0) << said.errors;
    return said.output;
  }
  Json Of(const std::string& board, const std::string& more = "") {
    return Json::parse(Said(board, more + " --json"));
  }

  TempFolder root_;
};

// "[0,1] to 1400000 kHz, capacity 485, of [0,1]; ..."
std::string ClustersOf(const Json& info) {
  std::string text;
  for (const Json& cluster : info.at("host").at("clusters")) {
    std::string parts;
    for (const Json& part : cluster.at("parts")) {
      parts += (parts.empty() ? "" : " and ") + part.at("cores").dump();
    }
    text += (text.empty() ? "" : "; ") + cluster.at("cores").dump() + " to " + cluster.at("max_khz").dump() +
            " kHz, capacity " + cluster.at("capacity").dump() + ", of " + parts;
  }
  return text;
}

std::string SensorsOf(const Json& info) {
  std::string text;
  for (const Json& kind : info.at("energy")) {
    for (const Json& found : kind.at("found")) text += (text.empty() ? "" : "; ") + found.get<std::string>();
  }
  return text;
}

// "cpu0 [0,1] cpu1 [2,3]", as a platform has them. A build without oneDNN has no units of cores: none here.
void ExpectUnits(const Json& info, const std::string& name, const std::string& units) {
  const Json& platform = info.at("platform");
  if (platform.is_null()) return;
  std::string text;
  for (const Json& unit : platform.at("units")) {
    text += (text.empty() ? "" : " ") + unit.at("name").get<std::string>() + " " + unit.at("cores").dump();
  }
  EXPECT_EQ(text, units);
  EXPECT_EQ(platform.at("name"), name);
}

void ExpectHost(const Json& info, const std::string& board, std::int64_t kilobytes) {
  EXPECT_EQ(info.at("host").at("board"), board);
  EXPECT_EQ(info.at("host").at("memory_bytes"), kilobytes * 1024);
}

TEST_F(InfoOfBoards, AnAgxXavierOf15WattsHasFourCoresOffAndTwoPairsThatShareACache) {
  const Json info = Of("agx-xavier");
  ExpectHost(info, "Jetson-AGX", 32691708);
  ExpectUnits(info, "jetson-agx", "cpu [0,1,2,3]");
  EXPECT_EQ(info.at("host").at("kernel"), "Linux 4.9.253-tegra") << "the board's, not this machine's";
  EXPECT_EQ(ClustersOf(info), "[0,1,2,3] to 1190400 kHz, capacity 0, of [0,1] and [2,3]");
  EXPECT_EQ(info.at("host").at("offline"), Json::array({4, 5, 6, 7}));
  EXPECT_EQ(info.at("host").at("caches"), Json::parse(R"([
      {"level": 1, "holds": "data", "bytes": 65536, "shared_by": [[0], [1], [2], [3]]},
      {"level": 1, "holds": "instruction", "bytes": 131072, "shared_by": [[0], [1], [2], [3]]},
      {"level": 2, "holds": "unified", "bytes": 2097152, "shared_by": [[0, 1], [2, 3]]},
      {"level": 3, "holds": "unified", "bytes": 4194304, "shared_by": [[0, 1, 2, 3]]}])"));
  EXPECT_EQ(SensorsOf(info), "ina3221 GPU + CPU + SOC + CV + VDDRQ + SYS5V");
  EXPECT_EQ(info.at("heat"), Json::parse(R"({"celsius": {"CPU-therm": 35.5, "GPU-therm": 34.0},
                                             "held_back": {"thermal-cpufreq-0": 0}})"));
  EXPECT_EQ(info.at("clocks"), Json::parse(R"({
      "17000000.gv11b set to": "nvhost_podgov, 319 to 676 MHz",
      "cores set to": "cpu0, cpu1, cpu2, cpu3: schedutil, 115 to 1190 MHz"})"));
}

TEST_F(InfoOfBoards, WhatIsSwitchedOffAndSharedStandsInTheTextAndInThePlatform) {
  const std::string text = Said("agx-xavier");
  for (const char* line : {"off       cores 4-7\n", "L1 data            64 KiB  each of 0-3\n",
                           "L2              2,048 KiB  0-1; 2-3\n", "L3              4,096 KiB  0-3\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  const Json platform = Of("agx-xavier").at("platform");
  if (platform.is_null()) GTEST_SKIP() << "built without oneDNN";
  EXPECT_EQ(platform.at("note"),
            "what tandem-device info found in a copy of its /sys and /proc; switched off: cores 4-7");
}

TEST_F(InfoOfBoards, AnOrinNanosClustersAreOneUnitUntilTheyAreSplit) {
  const Json info = Of("orin-nano");
  ExpectHost(info, "NVIDIA Jetson Orin Nano Developer Kit", 7633912);
  ExpectUnits(info, "nvidia-jetson-orin-nano-developer-kit", "cpu [0,1,2,3,4,5]");
  EXPECT_EQ(ClustersOf(info), "[0,1,2,3,4,5] to 1510400 kHz, capacity 1024, of [0,1,2,3] and [4,5]");
  EXPECT_EQ(SensorsOf(info), "ina3221 VDD_IN");
  EXPECT_EQ(info.at("heat").at("celsius"), Json::parse(R"({"cpu-thermal": 48.312, "gpu-thermal": 47.218})"));
  EXPECT_EQ(info.at("clocks"), Json::parse(R"({
      "17000000.gpu set to": "nvhost_podgov, 306 to 625 MHz",
      "cores set to": "cpu0, cpu1, cpu2, cpu3, cpu4, cpu5: schedutil, 115 to 1510 MHz"})"));
  ExpectUnits(Of("orin-nano", "--split 2"), "nvidia-jetson-orin-nano-developer-kit",
              "cpu0 [0,1,2,3] cpu1 [4,5]");
}

TEST_F(InfoOfBoards, AnRk3399IsTwoUnitsAndIsHeldBack) {
  const Json info = Of("rk3399");
  ExpectHost(info, "Firefly-RK3399 Board", 3911168);
  ExpectUnits(info, "firefly-rk3399-board", "cpu0 [0,1,2,3] cpu1 [4,5]");
  EXPECT_EQ(ClustersOf(info),
            "[0,1,2,3] to 1416000 kHz, capacity 485, of [0,1,2,3]; "
            "[4,5] to 1800000 kHz, capacity 1024, of [4,5]");
  EXPECT_EQ(info.at("host").at("offline"), Json::array());
  EXPECT_EQ(SensorsOf(info), "");
  EXPECT_EQ(info.at("heat"), Json::parse(R"({"celsius": {"cpu-thermal": 83.125, "gpu-thermal": 78.6},
                                             "held_back": {"thermal-cpufreq-0": 0, "thermal-cpufreq-1": 2}})"));
  EXPECT_EQ(info.at("clocks").at("cores set to"),
            "cpu0, cpu1, cpu2, cpu3: schedutil, 408 to 1416 MHz while held back; "
            "cpu4, cpu5: schedutil, 408 to 1800 MHz while held back");
  const std::string text = Said("rk3399");
  EXPECT_NE(text.find("thermal-cpufreq-1  holds clocks back\n"), std::string::npos) << text;
}

TEST_F(InfoOfBoards, AnRk3588sTwoPairsOfBigCoresAreOneUnitUntilTheyAreSplit) {
  const Json info = Of("rk3588");
  ExpectHost(info, "Radxa ROCK 5B", 16186692);
  ExpectUnits(info, "radxa-rock-5b", "cpu0 [0,1,2,3] cpu1 [4,5,6,7]");
  EXPECT_EQ(ClustersOf(info),
            "[0,1,2,3] to 1800000 kHz, capacity 530, of [0,1,2,3]; "
            "[4,5,6,7] to 2352000 kHz, capacity 1024, of [4,5] and [6,7]");
  EXPECT_EQ(info.at("host").at("caches"), Json::parse(R"([
      {"level": 2, "holds": "unified", "bytes": 131072, "shared_by": [[0], [1], [2], [3]]},
      {"level": 2, "holds": "unified", "bytes": 524288, "shared_by": [[4], [5], [6], [7]]},
      {"level": 3, "holds": "unified", "bytes": 3145728, "shared_by": [[0, 1, 2, 3, 4, 5, 6, 7]]}])"));
  EXPECT_EQ(SensorsOf(info), "");
  EXPECT_EQ(info.at("heat"), Json::parse(R"({"celsius": {"bigcore0-thermal": 41.615, "soc-thermal": 41.615},
                                             "held_back": {"cpufreq-cpu0": 0}})"));
  EXPECT_EQ(info.at("clocks").at("cores set to"),
            "cpu0, cpu1, cpu2, cpu3: ondemand, 408 to 1800 MHz; cpu4, cpu5: ondemand, 408 to 2352 MHz; "
            "cpu6, cpu7: ondemand, 408 to 2304 MHz");
  EXPECT_EQ(info.at("clocks").at("dmc set to"), "dmc_ondemand, 534 to 2112 MHz");
  ExpectUnits(Of("rk3588", "--split 2"), "radxa-rock-5b", "cpu0 [0,1] cpu1 [2,3] cpu2 [4,5] cpu3 [6,7]");
}

TEST_F(InfoOfBoards, ALimitStandsBesideTheClockOfTheCoresThatItMakesAUnitOf) {
  WriteBoardTree("rk3588", root_);
  for (int core = 4; core < 8; ++core) {
    const auto clock =
        root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cpufreq" / "scaling_";
    if (core < 6) std::ofstream(clock.string() + "max_freq") << "1200000\n";
    if (core > 5) std::ofstream(clock.string() + "governor") << "powersave\n";
  }
  const ProgramResult said = RunTandem("info --json --root '" + root_.string() + "'");
  ASSERT_EQ(said.status, 0) << said.errors;
  const Json info = Json::parse(said.output), clusters = info.at("host").at("clusters");
  ASSERT_EQ(clusters.size(), 3u);
  EXPECT_EQ(clusters.at(1).at("limit_khz"), 1200000);
  EXPECT_EQ(clusters.at(1).at("parts").at(0).at("limit_khz"), 1200000);
  EXPECT_EQ(clusters.at(2).at("parts").at(0).at("governor"), "powersave");
  if (info.at("platform").is_null()) GTEST_SKIP() << "built without oneDNN";
  for (const Json& backend : info.at("backends")) {
    if (backend.at("name") != "cpu") continue;
    EXPECT_EQ(backend.at("found"),
              Json::array({"cpu0: 4 cores at up to 1800 MHz, governor ondemand",
                           "cpu1: 2 cores at up to 2352 MHz, limited to 1200 MHz, governor ondemand",
                           "cpu2: 2 cores at up to 2304 MHz, governor powersave"}));
  }
}

TEST_F(InfoOfBoards, AnExynos5422IsTwoUnitsThoughItsKernelTellsNoCapacities) {
  const Json info = Of("exynos5422");
  ExpectHost(info, "Hardkernel Odroid XU4", 2041660);
  EXPECT_EQ(info.at("host").at("cpu"), "ARMv7 Processor rev 3 (v7l)");
  ExpectUnits(info, "hardkernel-odroid-xu4", "cpu0 [0,1,2,3] cpu1 [4,5,6,7]");
  EXPECT_EQ(ClustersOf(info),
            "[0,1,2,3] to 1400000 kHz, capacity 0, of [0,1,2,3]; "
            "[4,5,6,7] to 2000000 kHz, capacity 0, of [4,5,6,7]");
  EXPECT_EQ(SensorsOf(info), "");
  EXPECT_EQ(info.at("heat"), Json::parse(R"({"celsius": {"cpu0-thermal": 56.0},
                                             "held_back": {"thermal-cpufreq-1": 0}})"));
  EXPECT_EQ(
      info.at("clocks").at("cores set to"),
      "cpu0, cpu1, cpu2, cpu3: ondemand, 200 to 1400 MHz; cpu4, cpu5, cpu6, cpu7: ondemand, 200 to 2000 MHz");
}

TEST_F(InfoOfBoards, AZcu102CountsItsEighteenRails) {
  const Json info = Of("zcu102");
  ExpectHost(info, "ZynqMP ZCU102 Rev1.0", 4032224);
  ExpectUnits(info, "zynqmp-zcu102-rev1-0", "cpu [0,1,2,3]");
  EXPECT_EQ(ClustersOf(info), "[0,1,2,3] to 1199999 kHz, capacity 0, of [0,1,2,3]");
  EXPECT_EQ(SensorsOf(info), "ina2xx, 18 rails");
  EXPECT_EQ(info.at("heat"), Json::parse(R"({"celsius": {}, "held_back": {}})"));
  EXPECT_EQ(info.at("clocks"),
            Json::parse(R"({"cores set to": "cpu0, cpu1, cpu2, cpu3: userspace, 300 to 1200 MHz"})"));
}

TEST_F(InfoOfBoards, ARaspberryPi5HasOneUnitAndAFirmwareThatHoldsNothingBackNow) {
  const Json info = Of("raspberry-pi-5");
  ExpectHost(info, "Raspberry Pi 5 Model B Rev 1.0", 8245280);
  ExpectUnits(info, "raspberry-pi-5-model-b-rev-1-0", "cpu [0,1,2,3]");
  EXPECT_EQ(ClustersOf(info), "[0,1,2,3] to 2400000 kHz, capacity 1024, of [0,1,2,3]");
  EXPECT_EQ(SensorsOf(info), "");
  EXPECT_EQ(info.at("heat"),
            Json::parse(R"({"celsius": {"cpu-thermal": 50.45}, "held_back": {"firmware": 0}})"));
  EXPECT_EQ(info.at("clocks").at("cores set to"), "cpu0, cpu1, cpu2, cpu3: ondemand, 1500 to 2400 MHz");
}

TEST_F(InfoOfBoards, WhatALibraryWouldFindOnThisMachineIsOff) {
  const Json info = Of("orin-nano");
  for (const Json& backend : info.at("backends")) {
    if (backend.at("name") != "cuda") continue;
    EXPECT_TRUE(backend.at("found").empty()) << backend;
    EXPECT_NE(backend.at("trouble"), "");
  }
  for (const Json& kind : info.at("energy")) {
    if (kind.at("name") != "nvml") continue;
    EXPECT_EQ(kind.at("trouble"), "its library tells of the machine itself, not of a copy of its files");
  }
}

TEST_F(InfoOfBoards, WithoutAListOfCoresThatAreOnlineThoseThatAreThereCount) {
  const std::filesystem::path cpu = root_ / "sys/devices/system/cpu";
  std::filesystem::create_directories(cpu);
  std::ofstream(cpu / "present") << "0-2\n";
  const ProgramResult said = RunTandem("info --json --root '" + root_.string() + "'");
  EXPECT_EQ(Json::parse(said.output).at("host").at("clusters").at(0).at("cores"), Json::array({0, 1, 2}));
}

TEST_F(InfoOfBoards, AFolderThatIsNoCopyAndIdleDrawFromACopyAreRefused) {
  const ProgramResult none = RunTandem("info --root '" + root_.string() + "'");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.errors, "--root: \"" + root_.string() + "\" has neither a sys nor a proc\n");
  WriteBoardTree("zcu102", root_);
  EXPECT_EQ(RunTandem("info --idle --root '" + root_.string() + "'").status, 2);
}

TEST_F(InfoOfBoards, ThatGetLessMemoryThanTheBoardHasArePlatformsOfThat) {
  WriteBoardTree("raspberry-pi-5", root_);
  std::filesystem::create_directories(root_ / "sys/fs/cgroup");
  std::ofstream(root_ / "sys/fs/cgroup/memory.max") << "1073741824\n";
  const ProgramResult said = RunTandem("info --root '" + root_.string() + "'");
  EXPECT_NE(said.output.find("memory    8,052 MiB, of which a control group leaves 1,024 MiB\n"),
            std::string::npos)
      << said.output;
  const Json info = Of("raspberry-pi-5");
  EXPECT_EQ(info.at("host").at("memory_limit_bytes"), 1073741824);
  if (info.at("platform").is_null()) GTEST_SKIP() << "built without oneDNN";
  EXPECT_EQ(info.at("platform").at("memories").at(0).at("capacity_bytes"), 1073741824);
}

TEST_F(InfoOfBoards, ThatGetLessTimeThanTheirCoresHaveAndCachesOfUnknownSizeAreTold) {
  WriteBoardTree("zcu102", root_);
  const std::filesystem::path groups = root_ / "sys/fs/cgroup",
                              cache = root_ / "sys/devices/system/cpu/cpu0/cache/index2";
  for (const auto& folder : {groups, cache}) std::filesystem::create_directories(folder);
  std::ofstream(groups / "cpu.max") << "150000 100000\n";
  std::ofstream(cache / "level") << "2\n";
  std::ofstream(cache / "shared_cpu_list") << "0-3\n";
  const ProgramResult said = RunTandem("info --root '" + root_.string() + "'");
  EXPECT_EQ(
      said.errors,
      "tandem-device info: a control group leaves this process the time of 1.50 cores, fewer than it sees: "
      "it may be held back\n");
  for (const char* line : {"quota     the time of 1.50 cores\n", "L2     unknown  0-3\n"}) {
    EXPECT_NE(said.output.find(line), std::string::npos) << line << said.output;
  }
  const Json host = Of("zcu102").at("host");
  EXPECT_EQ(host.at("quota_cores"), 1.5);
  EXPECT_EQ(host.at("caches").at(0).at("bytes"), 0);
}

}  // namespace
}  // namespace tandem
