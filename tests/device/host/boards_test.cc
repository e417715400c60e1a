// Does each board of the studies, and those like them, come out as the units that it has, under its name,
// with its sensors and clocks?
#include <gtest/gtest.h>

#include "device/energy/ina3221.h"
#include "device/host/caches.h"
#include "device/host/clocks.h"
#include "device/host/heat.h"
#include "device/host/info.h"
#include "device/processor/backend.h"
#include "tests/support/device/board_trees.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

struct Seen {
  std::string text, slug, units, settings, rails;
  std::int64_t cache = 0;
};

std::string UnitsText(const HostInfo& host) {
  std::string text;
  for (const CoreCluster& cluster : host.clusters) {
    text += (text.empty() ? "" : "; ") + std::to_string(cluster.cores.front()) + "-" +
            std::to_string(cluster.cores.back()) + " at " + std::to_string(cluster.max_khz / 1000);
  }
  return text;
}

Seen See(const std::string& name) {
  TempFolder root;
  WriteBoardTree(name, root);
  Seen seen;
  const std::vector<std::int64_t> cores = UsableCores(root);
  const HostInfo host = ReadHost(cores, root);
  seen.text = HostText(host);
  seen.slug = BoardSlug(host);
  seen.units = UnitsText(host);
  seen.settings = ClockSettingsText(cores, root);
  seen.cache = LargestCache(cores, root);
  const EnergySensors sensors = FindIna3221(root);
  if (!sensors.sensors.empty()) seen.rails = sensors.sensors[0]->name();
  return seen;
}

TEST(Boards, AnAgxXaviersPairsOfCoresAreOneUnitAndAllItsRailsCount) {
  const Seen seen = See("agx-xavier");
  EXPECT_EQ(seen.text, "Jetson-AGX, 4 cores, 31 GiB");
  EXPECT_EQ(seen.slug, "jetson-agx");
  EXPECT_EQ(seen.units, "0-3 at 1190") << "the others are offline";
  EXPECT_EQ(seen.settings, "cpu0, cpu1, cpu2, cpu3: schedutil, 115 to 1190 MHz");
  EXPECT_EQ(seen.rails, "ina3221 GPU + CPU + SOC + CV + VDDRQ + SYS5V");
  EXPECT_EQ(seen.cache, 4 << 20);
}

TEST(Boards, AnOrinNanosEqualClustersAreOneUnitAndOneRailHasAll) {
  const Seen seen = See("orin-nano");
  EXPECT_EQ(seen.text, "NVIDIA Jetson Orin Nano Developer Kit, 6 cores, 7 GiB");
  EXPECT_EQ(seen.units, "0-5 at 1510");
  EXPECT_EQ(seen.rails, "ina3221 VDD_IN");
}

TEST(Boards, AnRk3399IsFourLittleCoresAndTwoBigOnes) {
  const Seen seen = See("rk3399");
  EXPECT_EQ(seen.text, "Firefly-RK3399 Board, 6 cores, 4 GiB");
  EXPECT_EQ(seen.units, "0-3 at 1416; 4-5 at 1800");
  EXPECT_EQ(seen.settings,
            "cpu0, cpu1, cpu2, cpu3: schedutil, 408 to 1416 MHz while held back; "
            "cpu4, cpu5: schedutil, 408 to 1800 MHz while held back");
  EXPECT_EQ(seen.rails, "");
}

TEST(Boards, BigCoresAreOfAnotherKindThanLittleOnes) {
  TempFolder root;
  WriteBoardTree("rk3399", root);
  EXPECT_EQ(CoreKind(0, root), CoreKind(3, root));
  EXPECT_EQ(CoreKind(4, root), CoreKind(5, root));
  EXPECT_NE(CoreKind(0, root), CoreKind(4, root));
}

TEST(Boards, AnRk3588sBigCoresAreOneUnitThoughTheyClockALittleDifferently) {
  const Seen seen = See("rk3588");
  EXPECT_EQ(seen.units, "0-3 at 1800; 4-7 at 2352");
  EXPECT_EQ(seen.cache, 3 << 20);
}

TEST(Boards, AnExynos5422sLittleCoresComeFirst) {
  const Seen seen = See("exynos5422");
  EXPECT_EQ(seen.text, "Hardkernel Odroid XU4, 8 cores, 2 GiB");
  EXPECT_EQ(seen.units, "0-3 at 1400; 4-7 at 2000");
}

TEST(Boards, ARk3399sBigCoresAreHeldBackWhenItIsHot) {
  TempFolder root;
  WriteBoardTree("rk3399", root);
  const Heat hot = ReadHeat(root);
  Heat cool = hot;
  cool.millicelsius["cpu-thermal"] = 48200;
  cool.held_back["thermal-cpufreq-1"] = 0;
  EXPECT_EQ(HeatText(cool, hot),
            (std::map<std::string, std::string>{{"cpu-thermal", "48 to 83 C"}, {"gpu-thermal", "79 C"}}));
  EXPECT_EQ(HeldBackText(cool, hot), "thermal-cpufreq-1 held clocks back for the heat");
  EXPECT_EQ(HeldBackText(cool, cool), "");
}

TEST(Boards, AFanThatTurnsHoldsNothingBack) {
  TempFolder root;
  WriteBoardTree("raspberry-pi-5", root);
  EXPECT_EQ(HeldBackText(ReadHeat(root), ReadHeat(root)), "");
}

TEST(Boards, AZcu102AndARaspberryPiHaveCoresOfOneKind) {
  EXPECT_EQ(See("zcu102").units, "0-3 at 1199");
  EXPECT_EQ(See("zcu102").settings, "cpu0, cpu1, cpu2, cpu3: userspace, 300 to 1200 MHz");
  EXPECT_EQ(See("raspberry-pi-5").text, "Raspberry Pi 5 Model B Rev 1.0, 4 cores, 8 GiB");
  EXPECT_EQ(See("raspberry-pi-5").units, "0-3 at 2400");
}

}  // namespace
}  // namespace tandem
