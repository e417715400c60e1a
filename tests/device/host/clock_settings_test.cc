// Is what clocks are set to told as the system has it, and told to be another where it is?
#include "device/host/clock_settings.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class ClockSettingsTest : public ::testing::Test {
 protected:
  ~ClockSettingsTest() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void Set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }
  void WriteCore(const std::string& governor) {
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "408000\n");
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "1479000\n");
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000000\n");
  }
  std::map<std::string, std::string> Read(const std::vector<Unit>& units = {}) {
    const std::array<std::int64_t, 1> cores = {0};
    return ClockSettings(cores, units, {root_, TANDEM_FAKE_NVML});
  }

  TempFolder root_;
  std::vector<std::string> set_;
};

using Settings = std::map<std::string, std::string>;

TEST_F(ClockSettingsTest, AreThoseOfCoresMemoryAndWhatElseTheKernelScales) {
  EXPECT_EQ(Read(), Settings{}) << "nothing is told";
  WriteCore("performance\n");
  Write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  Write("sys/class/devfreq/dmc/governor", "dmc_ondemand\n");
  Write("sys/class/devfreq/dmc/min_freq", "328000000\n");
  Write("sys/class/devfreq/dmc/max_freq", "933000000\n");
  Write("sys/class/devfreq/dmc/cur_freq", "666000000\n");
  Write("sys/kernel/debug/bpmp/debug/clk/emc/max_rate", "2133000000\n");
  Write("sys/kernel/debug/bpmp/debug/clk/emc/rate", "2133000000\n");
  EXPECT_EQ(Read(), (Settings{{"cores set to", "cpu0: performance, 408 to 1479 MHz"},
                              {"boost set to", "on"},
                              {"dmc set to", "dmc_ondemand, 328 to 933 MHz"},
                              {"emc set to", "2133 MHz"}}));
  EXPECT_EQ(DeviceClocks(root_), (Settings{{"dmc", "666 MHz"}, {"emc", "2133 MHz"}}));
  Write("sys/class/devfreq/dmc/cur_freq", "328000000\n");
  Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "408000\n");
  EXPECT_EQ(Read().size(), 4u);
  EXPECT_EQ(ChangedSettings(Read(), Read()), std::vector<std::string>{}) << "clocks move, settings stay";
}

TEST_F(ClockSettingsTest, BoostIsToldByEitherDriver) {
  Write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(Read().at("boost set to"), "off");
}

TEST_F(ClockSettingsTest, OfAGpuAreWhatSomeoneHasSet) {
  Unit unit;
  unit.name = "gpu0";
  unit.backend = &DeclaredBackend("cuda");
  unit.device = 0;
  Set("FAKE_NVML_GPUS", "1");
  Set("FAKE_NVML_SM_MHZ", "345");
  EXPECT_EQ(Read({unit}), Settings{});
  Set("FAKE_NVML_PERSISTENCE", "1");
  Set("FAKE_NVML_SM_MHZ_SET", "1980");
  Set("FAKE_NVML_MEMORY_MHZ_SET", "2619");
  Set("FAKE_NVML_MILLIWATTS_SET", "700000");
  EXPECT_EQ(Read({unit}),
            (Settings{{"gpu0 set to", "persistence on, 1980 MHz, memory 2619 MHz, up to 700 W"}}));
}

TEST_F(ClockSettingsTest, ThatChangedAreToldWithBoth) {
  const Settings before = {{"cpu0", "1800 MHz, schedutil"},
                           {"cores set to", "cpu0: performance"},
                           {"boost set to", "on"},
                           {"emc set to", "2133 MHz"}};
  EXPECT_EQ(ChangedSettings(before, {{"cores set to", "cpu0: powersave"}, {"emc set to", "2133 MHz"}}),
            (std::vector<std::string>{"boost set to \"on\", which nothing tells now",
                                      "cores set to \"cpu0: performance\", now \"cpu0: powersave\""}));
}

// What cools sets the same files, of memory and GPUs, too.
TEST_F(ClockSettingsTest, AreTheSameWhileTheHeatLowersThem) {
  const auto set = [&](const char* khz, const char* hz, const char* state) {
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", khz);
    Write("sys/class/devfreq/gpu/max_freq", hz);
    Write("sys/class/thermal/cooling_device0/cur_state", state);
  };
  WriteCore("performance\n");
  Write("sys/class/thermal/cooling_device0/type", "thermal-cpufreq-0\n");
  set("1479000\n", "800000000\n", "0\n");
  const Settings cool = Read();
  set("1008000\n", "400000000\n", "2\n");
  EXPECT_EQ(Read(), (Settings{{"cores set to", "cpu0: performance, 408 to 1008 MHz while held back"},
                              {"gpu set to", "400 MHz while held back"}}));
  EXPECT_EQ(ChangedSettings(cool, Read()), std::vector<std::string>{});
  EXPECT_EQ(ChangedSettings(Read(), cool), std::vector<std::string>{});
  set("1008000\n", "400000000\n", "0\n");
  EXPECT_EQ(ChangedSettings(cool, Read()).size(), 2u) << "somebody has set them";
  WriteCore("powersave\n");
  set("1008000\n", "400000000\n", "2\n");
  EXPECT_EQ(ChangedSettings(cool, Read()).size(), 1u) << "no heat sets a governor";
}

}  // namespace
}  // namespace tandem
