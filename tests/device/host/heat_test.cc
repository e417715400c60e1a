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

TEST_F(Firmware, ThatSaysNoNumberIsNone) {
  Says("throttled=0x0");
  EXPECT_TRUE(ClockLimits(root_).empty());
}

}  // namespace
}  // namespace tandem
