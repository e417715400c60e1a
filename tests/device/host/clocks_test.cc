// Are clocks and throttling told as the system files have them?
#include "device/host/clocks.h"

#include <gtest/gtest.h>
#include <array>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class HostClocksTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void WriteCore(const std::string& core, const std::string& file, const std::string& text) {
    Write("sys/devices/system/cpu/" + core + "/" + file, text);
  }
  CoreClocks Read() {
    const std::array<std::int64_t, 2> cores = {0, 1};
    return ReadClocks(cores, root_);
  }

  TempFolder root_;
};

TEST_F(HostClocksTest, TheKernelsOwnFiguresComeFirst) {
  WriteCore("cpu0", "cpufreq/scaling_cur_freq", "1800000\n");
  WriteCore("cpu0", "cpufreq/scaling_governor", "schedutil\n");
  Write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2400.000\n\nprocessor\t: 1\ncpu MHz\t\t: 2500.123\n");
  const auto text = ClocksText(Read(), Read());
  EXPECT_EQ(text.at("cpu0"), "1800 MHz, schedutil");
  EXPECT_EQ(text.at("cpu1"), "2500 MHz");
}

TEST_F(HostClocksTest, AClockThatMovedAndACoreThatGotTooHotAreTold) {
  WriteCore("cpu0", "cpufreq/scaling_cur_freq", "2400000\n");
  WriteCore("cpu0", "thermal_throttle/core_throttle_count", "5\n");
  const CoreClocks before = Read();
  EXPECT_EQ(ThrottlingText(before, before), "");
  WriteCore("cpu0", "cpufreq/scaling_cur_freq", "1600000\n");
  WriteCore("cpu0", "thermal_throttle/core_throttle_count", "8\n");
  EXPECT_EQ(ClocksText(before, Read()).at("cpu0"), "2400 to 1600 MHz");
  EXPECT_EQ(ThrottlingText(before, Read()), "core 0 was throttled 3 times");
}

TEST_F(HostClocksTest, WhatIsNotToldIsUnknown) {
  EXPECT_EQ(ClocksText(Read(), Read()).at("cpu0"), "unknown");
}

TEST_F(HostClocksTest, WhatClocksAreSetToIsToldOfCoresTogether) {
  const std::array<std::int64_t, 3> cores = {0, 1, 4};
  EXPECT_EQ(ClockSettingsText(cores, root_), "") << "nothing tells it";
  for (const char* core : {"cpu0", "cpu1", "cpu4"}) {
    WriteCore(core, "cpufreq/scaling_governor", "performance\n");
    WriteCore(core, "cpufreq/scaling_min_freq", "408000\n");
    WriteCore(core, "cpufreq/scaling_max_freq", core[3] == '4' ? "1800000\n" : "1479000\n");
  }
  EXPECT_EQ(ClockSettingsText(cores, root_),
            "cpu0, cpu1: performance, 408 to 1479 MHz; cpu4: performance, 408 to 1800 MHz");
}

TEST_F(HostClocksTest, LimitsThatAreReadWhileClocksAreHeldBackSayIt) {
  const std::array<std::int64_t, 1> cores = {0};
  WriteCore("cpu0", "cpufreq/scaling_governor", "schedutil\n");
  WriteCore("cpu0", "cpufreq/scaling_min_freq", "408000\n");
  WriteCore("cpu0", "cpufreq/scaling_max_freq", "1008000\n");
  Write("sys/class/thermal/cooling_device0/type", "thermal-cpufreq-0\n");
  Write("sys/class/thermal/cooling_device0/cur_state", "3\n");
  EXPECT_EQ(ClockSettingsText(cores, root_), "cpu0: schedutil, 408 to 1008 MHz while held back");
  Write("sys/class/thermal/cooling_device0/cur_state", "0\n");
  EXPECT_EQ(ClockSettingsText(cores, root_), "cpu0: schedutil, 408 to 1008 MHz");
}

TEST_F(HostClocksTest, WhereCoresHaveNoneOfTheirOwnThePolicyOfTheirClockIsRead) {
  const std::string policy = "sys/devices/system/cpu/cpufreq/policy";
  for (const std::string number : {"0", "1"}) {
    Write(policy + number + "/scaling_governor", "schedutil\n");
    Write(policy + number + "/scaling_min_freq", "408000\n");
    Write(policy + number + "/scaling_max_freq", number == "0" ? "1800000\n" : "2400000\n");
    Write(policy + number + "/scaling_cur_freq", number == "0" ? "600000\n" : "1200000\n");
  }
  Write(policy + "0/related_cpus", "0 2\n");
  Write(policy + "1/affected_cpus", "1 3\n");
  const std::array<std::int64_t, 5> cores = {0, 1, 2, 3, 4};
  EXPECT_EQ(ClockSettingsText(cores, root_),
            "cpu0, cpu2: schedutil, 408 to 1800 MHz; cpu1, cpu3: schedutil, 408 to 2400 MHz");
  EXPECT_EQ(ClocksText(Read(), Read()).at("cpu1"), "1200 MHz, schedutil");
}

}  // namespace
}  // namespace tandem
