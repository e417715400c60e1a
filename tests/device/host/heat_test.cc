// Is every thermal zone told, whatever the zones are called, and what holds clocks back?
#include "device/host/heat.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

using Zones = std::map<std::string, std::int64_t>;

class HeatTest : public ::testing::Test {
 protected:
  void WriteZone(int number, const std::string& type, const std::string& millicelsius) {
    const fs::path folder = root_ / "sys/class/thermal" / ("thermal_zone" + std::to_string(number));
    fs::create_directories(folder);
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "temp") << millicelsius << "\n";
  }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  void WriteCooling(int number, const std::string& type, int state) {
    const std::string folder = "sys/class/thermal/cooling_device" + std::to_string(number) + "/";
    Write(folder + "type", type);
    Write(folder + "cur_state", std::to_string(state));
  }

  TempFolder root_;
};

TEST_F(HeatTest, ZonesOfOneTypeAreAllKeptInTheOrderOfTheirNumbers) {
  WriteZone(10, "acpitz", "30000");
  WriteZone(2, "acpitz", "20000");
  WriteZone(0, "cpu-thermal", "45000");
  WriteZone(1, "acpitz", "10000");
  EXPECT_EQ(ReadHeat(root_).millicelsius,
            (Zones{{"acpitz", 10000}, {"acpitz #2", 20000}, {"acpitz #3", 30000}, {"cpu-thermal", 45000}}));
}

TEST_F(HeatTest, AZoneThatCannotBeReadAtTheMomentLeavesTheOthersTheirNames) {
  WriteZone(0, "gpu", "n/a");
  WriteZone(1, "gpu", "50000");
  EXPECT_EQ(ReadHeat(root_).millicelsius, (Zones{{"gpu #2", 50000}}));
}

// CV0-therm of a Jetson, whose part of the chip has no power.
TEST_F(HeatTest, AZoneThatIsOffHasNoTemperature) {
  WriteZone(0, "CV0-therm", "-256000");
  WriteZone(1, "GPU-therm", "-255999");
  EXPECT_EQ(ReadHeat(root_).millicelsius, (Zones{{"GPU-therm", -255999}}));
}

TEST_F(HeatTest, DegreesBelowZeroAreRoundedAsThoseAbove) {
  WriteZone(0, "outside", "-19600");
  const Heat cold = ReadHeat(root_);
  WriteZone(0, "outside", "-400");
  EXPECT_EQ(HeatText(cold, cold).at("outside"), "-20 C");
  EXPECT_EQ(HeatText(cold, ReadHeat(root_)).at("outside"), "-20 to 0 C");
}

TEST_F(HeatTest, NothingIsAsColdAsAbsoluteZeroOrColder) {
  WriteZone(0, "gpu", "-274000");  // as kernels say that there is no valid one
  WriteZone(1, "gpu", "-273150");
  WriteZone(2, "gpu", "-40000");
  EXPECT_EQ(ReadHeat(root_).millicelsius, (Zones{{"gpu #3", -40000}}));
}

TEST_F(HeatTest, WhateverSlowsProcessorsAndDevicesDownHoldsThemBackAndNoFanDoes) {
  int number = 0;
  const std::vector<std::string> slow = {"thermal-gpufreq-0",  "thermal-idle-0", "CPU-balanced",
                                         "gpu-throttle-alert", "cpu-isolate0",   "tegra-heavy",
                                         "Processor",          "cpufreq-cpu0",   "thermal-devfreq-1"};
  std::map<std::string, std::int64_t> held_back;
  for (const std::string& type : slow) {
    held_back[type] = number + 1;
    WriteCooling(number, type, number + 1);
    ++number;
  }
  for (const char* other : {"pwm-fan", "CPU_FAN", "gpu fan", "cpu-floor", "panel-backlight"}) {
    WriteCooling(number++, other, 3);
  }
  EXPECT_EQ(ReadHeat(root_).held_back, held_back);
}

TEST_F(HeatTest, WithoutZonesWhatMonitorsTellIsTheHeat) {
  Write("sys/class/hwmon/hwmon0/name", "k10temp");
  Write("sys/class/hwmon/hwmon0/temp1_input", "45250");
  Write("sys/class/hwmon/hwmon0/temp1_label", "Tctl");
  Write("sys/class/hwmon/hwmon0/temp1_max", "70000");
  Write("sys/class/hwmon/hwmon1/name", "sbtsi");
  Write("sys/class/hwmon/hwmon1/temp10_input", "42000");
  Write("sys/class/hwmon/hwmon1/temp2_input", "41000");
  Write("sys/class/hwmon/hwmon2/in1_input", "5000");
  EXPECT_EQ(ReadHeat(root_).millicelsius,
            (Zones{{"k10temp Tctl", 45250}, {"sbtsi", 41000}, {"sbtsi #2", 42000}}));
  WriteZone(0, "cpu-thermal", "44000");
  EXPECT_EQ(ReadHeat(root_).millicelsius, (Zones{{"cpu-thermal", 44000}})) << "the same heat again";
}

class OverCurrent : public HeatTest {
 protected:
  Heat Counts(const std::string& first, const std::string& second = "0") {
    const std::string monitor = "sys/class/hwmon/hwmon1/";
    Write(monitor + "name", "soctherm_oc");
    Write(monitor + "oc1_event_cnt", first);
    Write(monitor + "oc1_throt_en", "1");
    Write(monitor + "oc2_event_cnt", second);
    Write(monitor + "oc2_throt_en", "0");
    return ReadHeat(root_);
  }
};

TEST_F(OverCurrent, OfAJetsonOrinIsToldByItsCounters) {
  const Heat before = Counts("7");
  EXPECT_EQ(HeldBackText(before, Counts("7")), "") << "before all this";
  EXPECT_EQ(HeldBackText(before, Counts("9")), "soctherm_oc held clocks back for too high a current");
}

TEST_F(OverCurrent, ThatSlowsNothingDownHoldsNothingBack) {
  const Heat before = Counts("7", "3");
  EXPECT_EQ(HeldBackText(before, Counts("7", "5")), "");
}

TEST_F(OverCurrent, TellsNoStateOfTheMoment) {
  EXPECT_TRUE(Counts("7").held_back.empty());
  EXPECT_FALSE(ClockLimits(root_).HoldBack());
}

class Firmware : public HeatTest {
 protected:
  Heat Says(const std::string& hexadecimal) {
    const fs::path folder = root_ / "sys/devices/platform/soc/soc:firmware";
    fs::create_directories(folder);
    std::ofstream(folder / "get_throttled") << hexadecimal << "\n";
    return ReadHeat(root_);
  }
};

TEST_F(Firmware, OfARaspberryPiHoldsBackWhatItLimitsNow) {
  const std::string told = "firmware held clocks back for the heat or for a low voltage";
  EXPECT_EQ(HeldBackText(Says("0"), Says("80008")), told) << "a soft limit";
  EXPECT_EQ(HeldBackText(Says("50005"), Says("50000")), told) << "for a low voltage, and before it alone";
  EXPECT_EQ(HeldBackText(Says("20002"), Says("20002")), told) << "the whole time";
  EXPECT_TRUE(ClockLimits(root_).HoldBack());
}

TEST_F(Firmware, ThatLimitedSomethingInBetweenSaysSoOnce) {
  EXPECT_NE(HeldBackText(Says("0"), Says("40000")), "");
  EXPECT_EQ(HeldBackText(Says("40000"), Says("40000")), "") << "before all this";
  EXPECT_FALSE(ClockLimits(root_).HoldBack());
}

TEST_F(Firmware, LimitsNothingWhereTheVoltageAloneIsLow) {
  EXPECT_EQ(HeldBackText(Says("0"), Says("10001")), "");
}

TEST_F(Firmware, MayMarkItsNumberAsHexadecimal) {
  EXPECT_EQ(Says("0x50000").held_back, (std::map<std::string, std::int64_t>{{"firmware", 0}}));
  EXPECT_EQ(Says("0x50002").held_back.at("firmware"), 2);
}

TEST_F(Firmware, ThatSaysNoNumberIsNone) {
  Says("throttled=0x0");
  EXPECT_TRUE(ClockLimits(root_).empty());
}

}  // namespace
}  // namespace tandem
