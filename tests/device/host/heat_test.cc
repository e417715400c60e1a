// Is every thermal zone told, whatever the zones are called?
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

}  // namespace
}  // namespace tandem
