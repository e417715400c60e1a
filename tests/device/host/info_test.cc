// Is a computer told rightly from its /proc and /sys, also where they say little or nonsense?
#include "device/host/info.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

using Cores = std::vector<std::int64_t>;

std::string CpuFile(int core, const std::string& file) {
  return "sys/devices/system/cpu/cpu" + std::to_string(core) + "/" + file;
}

class HostInfoTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void WriteCore(int core, int package, const std::string& khz, const std::string& siblings) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(core) + "/";
    Write(folder + "topology/physical_package_id", std::to_string(package) + "\n");
    Write(folder + "topology/thread_siblings_list", siblings + "\n");
    Write(folder + "cpufreq/cpuinfo_max_freq", khz + "\n");
    Write(folder + "cpufreq/scaling_governor", "schedutil\n");
  }

  TempFolder root_;
};

TEST_F(HostInfoTest, BigAndLittleCoresAreClusters) {
  for (int core = 0; core < 4; ++core) WriteCore(core, 0, "1416000", std::to_string(core));
  for (int core = 4; core < 6; ++core) WriteCore(core, 0, "1800000", std::to_string(core));
  const HostInfo host = ReadHost({0, 1, 2, 3, 4, 5}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(host.clusters[0].max_khz, 1416000);
  EXPECT_EQ(host.clusters[1].cores, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(host.clusters[1].governor, "schedutil");
}

TEST_F(HostInfoTest, CoresThatClockALittleHigherAreNoClusterOfTheirOwn) {
  WriteCore(0, 0, "5500000", "0");
  WriteCore(1, 0, "5800000", "1");
  WriteCore(2, 0, "4300000", "2");
  const HostInfo host = ReadHost({0, 1, 2}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].max_khz, 5800000);
}

TEST_F(HostInfoTest, PackagesAreClusters) {
  WriteCore(0, 0, "2000000", "0-1");
  WriteCore(1, 0, "2000000", "0-1");
  WriteCore(2, 1, "2000000", "2,3");
  WriteCore(3, 1, "2000000", "2,3");
  const HostInfo host = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].threads_per_core, 2);
  EXPECT_EQ(host.clusters[1].threads_per_core, 2);
}

TEST_F(HostInfoTest, OnlyCoresThatMayBeUsedCount) {
  for (int core = 0; core < 4; ++core) WriteCore(core, 0, "2000000", std::to_string(core));
  const HostInfo host = ReadHost({1, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 1u);
  EXPECT_EQ(host.clusters[0].cores, (std::vector<std::int64_t>{1, 3}));
}

TEST_F(HostInfoTest, NamesAndMemoryAreRead) {
  Write("sys/firmware/devicetree/base/model", std::string("NVIDIA Jetson Nano\0", 19));
  Write("proc/cpuinfo", "processor\t: 0\nmodel name\t: ARMv8 Processor rev 1 (v8l)\nmodel\t\t: 7\n");
  Write("proc/meminfo", "MemTotal:        4059424 kB\nMemFree:          1000 kB\n");
  const HostInfo host = ReadHost({0}, root_);
  EXPECT_EQ(host.board, "NVIDIA Jetson Nano");
  EXPECT_EQ(host.cpu_name, "ARMv8 Processor rev 1 (v8l)");
  EXPECT_EQ(host.memory_bytes, std::int64_t{4059424} * 1024);
  EXPECT_EQ(BoardSlug(host), "nvidia-jetson-nano");
  EXPECT_EQ(HostText(host), "NVIDIA Jetson Nano, 1 core, 4 GiB");
}

TEST_F(HostInfoTest, WithoutProcAndSysThereIsOneClusterAndAName) {
  const HostInfo host = ReadHost({0, 1}, root_);
  ASSERT_EQ(host.clusters.size(), 1u);
  EXPECT_EQ(host.clusters[0].cores.size(), 2u);
  EXPECT_EQ(host.clusters[0].max_khz, 0);
  EXPECT_EQ(host.clusters[0].threads_per_core, 1);
  EXPECT_EQ(host.memory_bytes, 0);
  EXPECT_EQ(BoardSlug(host), "this-machine");
  EXPECT_EQ(HostText(host), "unknown processor, 2 cores");
}

TEST_F(HostInfoTest, NonsenseIsTakenForUnknown) {
  WriteCore(0, 0, "fast", "x-,,-7,99999999999999999999-0");
  Write("proc/meminfo", "MemTotal: 99999999999999999999 kB\n");
  Write("proc/cpuinfo", "model name\n:\nmodel name :\n");
  Write("sys/firmware/devicetree/base/model", "\xff\xfe --");
  const HostInfo host = ReadHost({0}, root_);
  EXPECT_EQ(host.clusters[0].max_khz, 0);
  EXPECT_EQ(host.memory_bytes, 0);
  EXPECT_EQ(host.cpu_name, "");
  EXPECT_EQ(BoardSlug(host), "this-machine");
}

TEST(UsableCores, AreThoseOfTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const std::vector<std::int64_t> cores = UsableCores();
  EXPECT_EQ(static_cast<int>(cores.size()), CPU_COUNT(&before));
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(static_cast<std::size_t>(cores.back()), &last);
  ASSERT_EQ(sched_setaffinity(0, sizeof last, &last), 0);
  EXPECT_EQ(UsableCores(), (std::vector<std::int64_t>{cores.back()}));
  sched_setaffinity(0, sizeof before, &before);
}

TEST(HostInfo, ClustersAreSplitEvenlyAndNoFurtherThanTheirCores) {
  HostInfo host;
  host.clusters.resize(2);
  host.clusters[0].cores = {0, 1, 2, 3, 4};
  host.clusters[0].max_khz = 1000;
  host.clusters[1].cores = {8};
  const HostInfo split = SplitClusters(host, 2);
  ASSERT_EQ(split.clusters.size(), 3u);
  EXPECT_EQ(split.clusters[0].cores, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(split.clusters[1].cores, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(split.clusters[1].max_khz, 1000);
  EXPECT_EQ(split.clusters[2].cores, (std::vector<std::int64_t>{8}));
}

TEST(HostInfo, ClustersThatWereJoinedAreSplitAgainWhereTheyWere) {
  HostInfo host;
  CoreCluster& cluster = host.clusters.emplace_back();
  cluster.cores = {0, 1, 2, 3, 4, 5};
  cluster.max_khz = 2000;
  cluster.parts = {{{0, 1, 2, 3}, 0, 0, 1900, 1000}, {{4, 5}, 1, 0, 2000, 1024}};
  const HostInfo two = SplitClusters(host, 2);
  ASSERT_EQ(two.clusters.size(), 2u);
  EXPECT_EQ(two.clusters[0].cores, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(two.clusters[0].max_khz, 1900);
  EXPECT_EQ(two.clusters[1].capacity, 1024);
  const HostInfo three = SplitClusters(host, 3);
  ASSERT_EQ(three.clusters.size(), 3u);
  EXPECT_EQ(three.clusters[2].cores, (std::vector<std::int64_t>{4, 5}))
      << "not along the parts: two cores each";
  EXPECT_EQ(three.clusters[1].parts.size(), 1u);
}

TEST_F(HostInfoTest, ABoardsClustersOfAlmostOneSpeedAreOneAndItIsToldOfWhich) {
  Write("sys/firmware/devicetree/base/model", std::string("Radxa ROCK 5B\0", 14));
  for (int core = 0; core < 4; ++core) {
    WriteCore(core, core / 2, core < 2 ? "2352000" : "2304000", std::to_string(core));
  }
  const HostInfo host = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 1u);
  ASSERT_EQ(host.clusters[0].parts.size(), 2u);
  EXPECT_EQ(host.clusters[0].parts[1].cores, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(host.clusters[0].parts[1].max_khz, 2304000);
}

TEST_F(HostInfoTest, CoresThatSettingsLetGoAtDifferentSpeedsAreTwoUnitsAndAlmostTheSameOne) {
  for (int core = 0; core < 4; ++core) WriteCore(core, 0, "2352000", std::to_string(core));
  for (int core = 0; core < 4; ++core) Write(CpuFile(core, "cpufreq/scaling_max_freq"), "9000000\n");
  EXPECT_EQ(ReadHost({0, 1, 2, 3}, root_).clusters.front().limit_khz, 2352000) << "more than there is";
  for (int core = 0; core < 2; ++core) Write(CpuFile(core, "cpufreq/scaling_max_freq"), "1200000\n");
  const HostInfo two = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(two.clusters.size(), 2u);
  EXPECT_EQ(two.clusters[0].cores, (Cores{0, 1}));
  EXPECT_EQ(two.clusters[0].max_khz, 2352000);
  EXPECT_EQ(two.clusters[0].limit_khz, 1200000);
  EXPECT_EQ(two.clusters[1].limit_khz, 2352000);
  for (int core = 0; core < 2; ++core) Write(CpuFile(core, "cpufreq/scaling_max_freq"), "2304000\n");
  EXPECT_EQ(ReadHost({0, 1, 2, 3}, root_).clusters.size(), 1u);
  for (int core = 0; core < 2; ++core) Write(CpuFile(core, "cpufreq/scaling_max_freq"), "none\n");
  EXPECT_EQ(ReadHost({0, 1, 2, 3}, root_).clusters.size(), 1u);
}

TEST_F(HostInfoTest, LittleCoresAreNoBigOnesWhereALimitLetsBothGoEquallyFast) {
  for (int core = 0; core < 2; ++core) {
    WriteCore(core, 0, core == 0 ? "1400000" : "2000000", std::to_string(core));
    Write(CpuFile(core, "cpufreq/scaling_max_freq"), "1400000\n");
  }
  EXPECT_EQ(ReadHost({0, 1}, root_).clusters.size(), 2u);
}

TEST_F(HostInfoTest, LimitsThatHeatMaySetMakeNoUnits) {
  for (int core = 0; core < 2; ++core) {
    WriteCore(core, 0, "2352000", std::to_string(core));
    Write(CpuFile(core, "cpufreq/scaling_max_freq"), core == 0 ? "1200000\n" : "2352000\n");
  }
  Write("sys/class/thermal/cooling_device0/type", "cpufreq-cpu0\n");
  Write("sys/class/thermal/cooling_device0/cur_state", "0\n");
  EXPECT_EQ(ReadHost({0, 1}, root_).clusters.size(), 2u);
  Write("sys/class/thermal/cooling_device0/cur_state", "3\n");
  const HostInfo hot = ReadHost({0, 1}, root_);
  ASSERT_EQ(hot.clusters.size(), 1u);
  EXPECT_EQ(hot.clusters[0].limit_khz, 0);
}

TEST_F(HostInfoTest, AllGovernorsOfCoresThatBecomeOneAreNamedAndEachBehindACut) {
  Write("sys/firmware/devicetree/base/model", std::string("Radxa ROCK 5B\0", 14));
  for (int core = 0; core < 4; ++core) {
    WriteCore(core, core / 2, "2304000", std::to_string(core));
    Write(CpuFile(core, "cpufreq/scaling_governor"), core < 2 ? "interactive\n" : "powersave\n");
  }
  const HostInfo host = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 1u);
  EXPECT_EQ(host.clusters[0].governor, "interactive, powersave");
  const HostInfo split = SplitClusters(host, 2);
  ASSERT_EQ(split.clusters.size(), 2u);
  EXPECT_EQ(split.clusters[0].governor, "interactive");
  EXPECT_EQ(split.clusters[1].governor, "powersave");
  EXPECT_EQ(split.clusters[1].limit_khz, 2304000);
}

TEST_F(HostInfoTest, CoresThatTheBoardHasAndThatAreOffAreTold) {
  WriteCore(0, 0, "2000000", "0");
  Write("sys/devices/system/cpu/present", "0-7\n");
  Write("sys/devices/system/cpu/offline", "4-127\n");
  EXPECT_TRUE(ReadHost({0}, root_).offline.empty()) << "nothing says which are online";
  Write("sys/devices/system/cpu/online", "0-3\n");
  EXPECT_EQ(ReadHost({0}, root_).offline, (std::vector<std::int64_t>{4, 5, 6, 7}))
      << "kernels list as offline what they could take, too";
  EXPECT_EQ(UsableCores(root_), (std::vector<std::int64_t>{0, 1, 2, 3}))
      << "of a copy those that were online";
}

TEST_F(HostInfoTest, CoresOfTwoDesignsAreTwoUnitsHoweverAlikeTheyClock) {
  std::string told;
  for (int core = 0; core < 4; ++core) {
    WriteCore(core, 0, core == 0 ? "1896000" : "1800000", std::to_string(core));
    told += "processor\t: " + std::to_string(core) + "\nCPU implementer\t: " + (core == 1 ? "0x4e" : "0x41") +
            "\nCPU part\t: " + (core == 1 ? "0x003" : "0xd07") + "\n\n";
  }
  Write("proc/cpuinfo", told);
  const HostInfo host = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (Cores{0, 2, 3}));
  EXPECT_EQ(host.clusters[0].design, "0x41 0xd07");
  EXPECT_EQ(host.clusters[1].cores, (Cores{1}));
  EXPECT_EQ(CoreKind(1, root_), "0x4e 0x003, 1800000 kHz");
}

TEST_F(HostInfoTest, AProcessorWithoutANameIsCalledByItsCores) {
  const std::string little = "CPU implementer\t: 0x41\nCPU part\t: 0xd05\n";
  const std::string big = "CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n";
  const std::string unknown = "CPU implementer\t: 0x99\nCPU part\t: 0xd0b\n";
  Write("proc/cpuinfo", "processor\t: 0\n" + little + "processor\t: 1\n" + big + "processor\t: 2\n" + big +
                            "processor\t: 3\n" + unknown);
  EXPECT_EQ(ReadHost({0, 1, 2, 3}, root_).cpu_name, "Cortex-A55, Cortex-A76");
  EXPECT_EQ(ReadHost({0}, root_).cpu_name, "Cortex-A55");
  EXPECT_EQ(ReadHost({3}, root_).cpu_name, "");
  Write("proc/cpuinfo", "processor\t: 0\n" + little + "processor\t: 1\n" + big + "Hardware\t: SM8150\n");
  EXPECT_EQ(ReadHost({0, 1}, root_).cpu_name, "SM8150");
}

TEST_F(HostInfoTest, ADesignIsReadOfTheCoresRegisterWhereNothingElseTellsIt) {
  for (int core = 0; core < 3; ++core) {
    WriteCore(core, 0, "2850000", std::to_string(core));
    // Bits 4 to 15 are the part: of 0x411fd411 0xd41, of 0x410fd440 0xd44.
    Write(CpuFile(core, "regs/identification/midr_el1"),
          core == 2 ? "0x00000000410fd440\n" : "0x00000000411fd411\n");
  }
  const HostInfo host = ReadHost({0, 1, 2}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (Cores{0, 1}));
  EXPECT_EQ(host.clusters[0].design, "0x41 0xd41");
  EXPECT_EQ(host.clusters[1].design, "0x41 0xd44");
}

TEST_F(HostInfoTest, ADesignThatIsToldOnceForAllProcessorsSaysNothing) {
  WriteCore(0, 0, "1400000", "0");
  WriteCore(1, 0, "1400000", "1");
  Write("proc/cpuinfo", "processor\t: 0\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n");
  EXPECT_EQ(CoreKind(1, root_), "1400000 kHz");
}

TEST_F(HostInfoTest, WhatIsNotToldOfACoreIsAsOfThoseItCouldBelongTo) {
  Write("sys/firmware/devicetree/base/model", "Board P");
  for (int core = 0; core < 6; ++core) {
    if (core != 4) WriteCore(core, 0, core < 3 ? "1400000" : "2000000", std::to_string(core));
    Write(CpuFile(core, "cpu_capacity"), core == 5 ? "0\n" : core < 3 ? "400\n" : "1024\n");
  }
  const HostInfo host = ReadHost({0, 1, 2, 3, 4, 5}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (Cores{0, 1, 2}));
  EXPECT_EQ(host.clusters[1].cores, (Cores{3, 4, 5}));
  EXPECT_EQ(host.clusters[1].capacity, 1024);
  EXPECT_EQ(host.clusters[1].max_khz, 2000000);
  ASSERT_EQ(host.clusters[1].parts.size(), 1u) << "nor is it a part of its own";
}

TEST_F(HostInfoTest, ACoreOfWhichNothingIsToldIsOfTheNearestCluster) {
  for (int core = 1; core < 5; ++core)
    WriteCore(core, 0, core < 3 ? "1400000" : "2000000", std::to_string(core));
  const HostInfo host = ReadHost({0, 1, 2, 3, 4, 5}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (Cores{0, 1, 2}));
  EXPECT_EQ(host.clusters[1].cores, (Cores{3, 4, 5}));
}

TEST_F(HostInfoTest, CapacitiesAreThoseOfTheDeviceTreeWhereTheKernelTellsNone) {
  for (int core = 0; core < 4; ++core) {
    WriteCore(core, 0, core < 2 ? "1900000" : "1800000", std::to_string(core));
    Write("sys/firmware/devicetree/base/cpus/cpu@" + std::string(core < 2 ? "" : "10") +
              std::to_string(core % 2) + "/capacity-dmips-mhz",
          core < 2 ? std::string("\0\0\x02\x50", 4) : std::string("\0\0\x04\0", 4));
  }
  const HostInfo host = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (Cores{0, 1}));
  // 0x250 = 592 in each of 1900 MHz, beside 1024 in each of 1800: 592 * 1900 * 1024 / (1024 * 1800).
  EXPECT_EQ(host.clusters[0].capacity, 624);
  EXPECT_EQ(host.clusters[1].capacity, 1024);
  EXPECT_EQ(CoreKind(0, root_), "capacity 624");
}

TEST_F(HostInfoTest, TheBoardsNameIsTakenFromWhereThereIsOne) {
  const auto name = [&] { return ReadHost({0}, root_).board; };
  Write("proc/cpuinfo", "processor\t: 0\n\nHardware\t: ODROID-XU3\n");
  EXPECT_EQ(name(), "ODROID-XU3");
  Write("proc/cpuinfo", "processor\t: 0\n\nHardware\t: BCM2835\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n");
  EXPECT_EQ(name(), "Raspberry Pi 4 Model B Rev 1.4");
  Write("proc/device-tree/model", std::string("Jetson AGX Orin\0", 16));
  EXPECT_EQ(name(), "Jetson AGX Orin");
  Write("sys/firmware/devicetree/base/model", std::string("Jetson\0", 7));
  EXPECT_EQ(name(), "Jetson");
}

TEST_F(HostInfoTest, ClocksThatAreToldOfPoliciesAloneMakeUnits) {
  const std::string policy = "sys/devices/system/cpu/cpufreq/policy";
  Write(policy + "0/related_cpus", "0 1\n");
  Write(policy + "0/cpuinfo_max_freq", "1400000\n");
  Write(policy + "2/affected_cpus", "2 3\n");
  Write(policy + "2/cpuinfo_max_freq", "2000000\n");
  Write(policy + "2/scaling_governor", "schedutil\n");
  const HostInfo host = ReadHost({0, 1, 2, 3}, root_);
  ASSERT_EQ(host.clusters.size(), 2u);
  EXPECT_EQ(host.clusters[0].cores, (Cores{0, 1}));
  EXPECT_EQ(host.clusters[1].max_khz, 2000000);
  EXPECT_EQ(host.clusters[1].governor, "schedutil");
}

TEST_F(HostInfoTest, WithoutListsTheFoldersOfCoresAndTheirOwnWordCount) {
  for (int core = 0; core < 4; ++core) Write(CpuFile(core, "online"), core == 2 ? "0\n" : "1\n");
  Write(CpuFile(10, "cpu_capacity"), "1024\n");
  Write("sys/devices/system/cpu/cpuidle/current_driver", "none\n");
  EXPECT_EQ(UsableCores(root_), (Cores{0, 1, 3, 10}));
  EXPECT_EQ(ReadHost(UsableCores(root_), root_).offline, (Cores{2}));
  Write("sys/devices/system/cpu/present", "0-3\n");
  EXPECT_EQ(UsableCores(root_), (Cores{0, 1, 3}));
  EXPECT_EQ(ReadHost(UsableCores(root_), root_).offline, (Cores{2}));
}

TEST_F(HostInfoTest, WhereNothingElseTellsCoresThoseOfCpuinfoCount) {
  Write("proc/cpuinfo",
        "Processor\t: ARMv7 Processor rev 3 (v7l)\nprocessor\t: 0\nBogoMIPS\t: 48.00\n\n"
        "processor\t: 1\n\nprocessor\t: 99999999999\nprocessor\t: x\n");
  EXPECT_EQ(UsableCores(root_), (Cores{0, 1}));
  EXPECT_EQ(ReadHost(UsableCores(root_), root_).offline, Cores());
  Write("sys/devices/system/cpu/present", "0-3\n");
  EXPECT_EQ(UsableCores(root_), (Cores{0, 1, 2, 3}));
}

TEST_F(HostInfoTest, TheLeastTimeOfAnyControlGroupCountsWhereItIsLessThanTheCoresHave) {
  const auto quota = [&] { return ReadHost({0, 1, 2, 3}, root_).quota_cores; };
  EXPECT_FALSE(quota());
  Write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota());
  Write("proc/self/cgroup", "1:name=systemd:/\n0::/slice/container\n");
  Write("sys/fs/cgroup/slice/container/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
  Write("sys/fs/cgroup/slice/cpu.max", "75000 50000\n");
  EXPECT_EQ(quota(), 1.5);
  EXPECT_FALSE(ReadHost({0}, root_).quota_cores) << "one core has no more";
}

TEST_F(HostInfoTest, OlderControlGroupsLimitTimeToo) {
  Write("proc/self/cgroup", "4:cpu,cpuacct:/docker/a\n3:memory:/docker/a\n");
  Write("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us", "50000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_period_us", "100000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  const HostInfo host = ReadHost({0, 1}, root_);
  EXPECT_EQ(host.quota_cores, 0.5);
  EXPECT_EQ(WithheldTexts(host),
            (std::vector<std::string>{"a control group leaves this process the time of 0.50 "
                                      "cores, fewer than it sees: it may be held back"}));
}

}  // namespace
}  // namespace tandem
