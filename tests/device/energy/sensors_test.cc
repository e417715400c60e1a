// Do the energy sensors find what a system has, read it right, and say why where there is nothing to read?
#include <gtest/gtest.h>
#include <cstdlib>

#include "device/energy/ina2xx.h"
#include "device/energy/ina3221.h"
#include "device/energy/meter.h"
#include "device/energy/nvml.h"
#include "device/energy/rapl.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

Unit UnitOn(std::string_view backend, std::vector<std::int64_t> cores = {}) {
  Unit unit;
  unit.backend = &DeclaredBackend(backend);
  unit.cores = std::move(cores);
  return unit;
}

// A tree of files that stands for /sys.
class EnergySensorsTest : public ::testing::Test {
 protected:
  void Put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    WriteFile(root_ / file, text + "\n");
  }
  void PutZone(const std::string& zone, const std::string& name, const std::string& count) const {
    const std::string folder = "sys/class/powercap/" + zone + "/";
    Put(folder + "name", name);
    Put(folder + "energy_uj", count);
    Put(folder + "max_energy_range_uj", "1000000000");
  }
  void PutCore(int core, int package) const {
    Put("sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/physical_package_id",
        std::to_string(package));
  }
  void PutRail(const std::string& chip, int channel, const std::string& label, int millivolts,
               int milliamperes) const {
    const std::string folder = "sys/bus/i2c/drivers/ina3221/" + chip + "/hwmon/hwmon3/";
    const std::string number = std::to_string(channel);
    Put(folder + "in" + number + "_label", label);
    Put(folder + "in" + number + "_input", std::to_string(millivolts));
    Put(folder + "curr" + number + "_input", std::to_string(milliamperes));
  }

  TempFolder root_;
  Nanos now_{0};
  EnergyClock clock_ = [this] { return now_; };
};

// What is found as one sensor's name, else why nothing is.
std::string NameOrWhyNot(const EnergySensors& found) {
  return found.sensors.size() == 1 ? found.sensors[0]->name() : found.why_not;
}

TEST_F(EnergySensorsTest, RaplCountsPackagesAlone) {
  PutZone("intel-rapl:0", "package-0", "5000000");
  PutZone("intel-rapl:0:0", "core", "1000000");
  PutZone("intel-rapl:0:1", "dram", "1000000");
  PutZone("intel-rapl:1", "package-1", "7000000");
  PutZone("intel-rapl:2", "psys", "9000000");
  PutZone("intel-rapl-mmio:0", "package-0", "5000000");
  for (int core = 0; core < 4; ++core) PutCore(core, core / 2);
  const EnergySensors found = FindRapl(root_);
  EXPECT_EQ(found.why_not, "");
  ASSERT_EQ(found.sensors.size(), 2u);
  EXPECT_EQ(found.sensors[0]->name(), "rapl package-0");
  EXPECT_EQ(found.sensors[1]->name(), "rapl package-1");
  EXPECT_TRUE(found.sensors[1]->Covers(UnitOn("cpu", {1, 2})));
  EXPECT_FALSE(found.sensors[1]->Covers(UnitOn("cpu", {0, 1})));
  EXPECT_TRUE(found.sensors[1]->Covers(UnitOn("reference")));
  EXPECT_FALSE(found.sensors[1]->Covers(UnitOn("cuda")));
}

TEST_F(EnergySensorsTest, RaplsCountGoesOnWhenItBeginsAnew) {
  PutZone("intel-rapl:0", "package-0", "999000000");
  const EnergySensors found = FindRapl(root_);
  ASSERT_EQ(found.sensors.size(), 1u);
  EnergySensor& sensor = *found.sensors[0];
  EXPECT_EQ(sensor.Joules(), 0);
  PutZone("intel-rapl:0", "package-0", "999500000");
  EXPECT_DOUBLE_EQ(sensor.Joules(), 0.5);
  PutZone("intel-rapl:0", "package-0", "250000");
  EXPECT_DOUBLE_EQ(sensor.Joules(), 1.25) << "1000 J is the range";
  PutZone("intel-rapl:0", "package-0", "1250000");
  EXPECT_DOUBLE_EQ(sensor.Joules(), 2.25);
  // At a kilowatt the count comes round in a second.
  EXPECT_LE(sensor.call_within(), std::chrono::milliseconds{500});
  PutZone("intel-rapl:0", "package-0", "nonsense");
  EXPECT_THROW(sensor.Joules(), EnvironmentError);
}

TEST_F(EnergySensorsTest, RaplByTheOtherWayWhereThatIsTheOnlyOne) {
  PutZone("intel-rapl-mmio:0", "package-0", "5000000");
  EXPECT_EQ(FindRapl(root_).sensors.size(), 1u);
}

TEST_F(EnergySensorsTest, WhatRaplDoesNotLetReadIsSaid) {
  EXPECT_EQ(FindRapl(root_).why_not, "no package under " + (root_ / "sys/class/powercap").string());
  PutZone("intel-rapl:0", "package-0", "5000000");
  PutZone("intel-rapl:1", "package-1", "5000000");
  // A folder in its place: even root cannot read that as a file.
  const fs::path file = root_ / "sys/class/powercap/intel-rapl:1/energy_uj";
  fs::remove(file);
  fs::create_directory(file);
  const EnergySensors found = FindRapl(root_);
  EXPECT_TRUE(found.sensors.empty()) << "one package alone would be mistaken for all";
  EXPECT_EQ(found.why_not, file.string() + ": Is a directory; commonly root alone may read it");
}

TEST_F(EnergySensorsTest, TheRailThatTheBoardHangsOnCountsAlone) {
  PutRail("1-0040", 1, "VDD_IN", 5000, 1000);
  PutRail("1-0040", 2, "VDD_CPU_GPU_CV", 5000, 600);
  PutRail("1-0040", 3, "NC", 5000, 9999);
  const EnergySensors found = FindIna3221(root_, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EnergySensor& sensor = *found.sensors[0];
  EXPECT_EQ(sensor.name(), "ina3221 VDD_IN");
  EXPECT_TRUE(sensor.OfWholeBoard());
  EXPECT_TRUE(sensor.Covers(UnitOn("cuda")));
  EXPECT_FALSE(sensor.Covers(UnitOn("emulated")));
  EXPECT_EQ(sensor.Joules(), 0);
  now_ += std::chrono::seconds{2};
  EXPECT_DOUBLE_EQ(sensor.Joules(), 10);
  PutRail("1-0040", 1, "VDD_IN", 5000, 3000);
  now_ += std::chrono::seconds{1};
  EXPECT_DOUBLE_EQ(sensor.Joules(), 10 + 10) << "from 5 W to 15 W";
}

TEST_F(EnergySensorsTest, ABoardWithoutSuchARailIsTheSumOfItsRails) {
  PutRail("1-0040", 1, "GPU", 10000, 100);
  PutRail("1-0040", 2, "CPU", 10000, 200);
  PutRail("1-0041", 1, "SYS5V", 5000, 400);
  const EnergySensors found = FindIna3221(root_, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EXPECT_EQ(found.sensors[0]->name(), "ina3221 GPU + CPU + SYS5V");
  EXPECT_EQ(found.sensors[0]->Joules(), 0);
  now_ += std::chrono::seconds{1};
  EXPECT_DOUBLE_EQ(found.sensors[0]->Joules(), 1 + 2 + 2);
}

// VDDQ_VDD2_1V8AO hangs on VIN_SYS_5V0.
TEST_F(EnergySensorsTest, ARailThatHangsOnAnotherDoesNotCountTwice) {
  PutRail("1-0040", 1, "VDD_GPU_SOC", 20000, 100);
  PutRail("1-0040", 2, "VDD_CPU_CV", 20000, 50);
  PutRail("1-0040", 3, "VIN_SYS_5V0", 5000, 800);
  PutRail("1-0041", 2, "VDDQ_VDD2_1V8AO", 5000, 200);
  const EnergySensors found = FindIna3221(root_, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EXPECT_EQ(found.sensors[0]->name(), "ina3221 VDD_GPU_SOC + VDD_CPU_CV + VIN_SYS_5V0");
  EXPECT_EQ(found.sensors[0]->Joules(), 0);
  now_ += std::chrono::seconds{1};
  EXPECT_DOUBLE_EQ(found.sensors[0]->Joules(), 2 + 1 + 4);
}

TEST_F(EnergySensorsTest, TheOlderDriverTellsMilliwatts) {
  const std::string chip = "sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0/";
  Put(chip + "rail_name_0", "POM_5V_IN");
  Put(chip + "in_power0_input", "2500");
  Put(chip + "rail_name_1", "POM_5V_GPU");
  Put(chip + "in_power1_input", "700");
  const EnergySensors found = FindIna3221(root_, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EXPECT_EQ(found.sensors[0]->name(), "ina3221 POM_5V_IN");
  EXPECT_EQ(found.sensors[0]->Joules(), 0);
  now_ += std::chrono::seconds{4};
  EXPECT_DOUBLE_EQ(found.sensors[0]->Joules(), 10);
  Put(chip + "in_power0_input", "");
  EXPECT_THROW(found.sensors[0]->Joules(), EnvironmentError);
}

// L4T of a Jetson TX1.
TEST_F(EnergySensorsTest, TheOldestDriversFolderHasNoNumber) {
  const std::string chip = "sys/bus/i2c/drivers/ina3221x/1-0040/iio_device/";
  Put(chip + "rail_name_0", "VDD_IN");
  Put(chip + "in_power0_input", "4200");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 VDD_IN");
}

TEST_F(EnergySensorsTest, AChipThatNothingReadsIsNamed) {
  const std::string drivers = "sys/bus/i2c/drivers/ina3221x/";
  Put(drivers + "bind", "");
  Put(drivers + "module/refcnt", "0");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)),
            "no such chip under " + (root_ / "sys/bus/i2c/drivers").string());
  Put(drivers + "1-0040/modalias", "i2c:ina3221x");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)),
            "neither hwmon nor iio tells what the chip " + (root_ / drivers).string() + "1-0040 measures");
  PutRail("1-0041", 1, "VDD_IN", 5000, 1000);
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 VDD_IN");
}

TEST_F(EnergySensorsTest, NoChipAndNoNumberAreSaid) {
  EXPECT_EQ(FindIna3221(root_).why_not, "no such chip under " + (root_ / "sys/bus/i2c/drivers").string());
  PutRail("1-0040", 1, "VDD_IN", 5000, 1000);
  const std::string current = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/curr1_input";
  Put(current, "n/a");
  EXPECT_EQ(FindIna3221(root_).why_not, (root_ / current).string() + ": no number");
}

TEST_F(EnergySensorsTest, AChipAmongTheMonitorsAloneIsFoundAndNoneCountsTwice) {
  const std::string monitor = "sys/class/hwmon/hwmon3/";
  Put(monitor + "name", "ina3221");
  Put(monitor + "in1_label", "GPU");
  Put(monitor + "in1_input", "5000");
  Put(monitor + "curr1_input", "400");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 GPU");
  const std::string of_bus = "sys/bus/i2c/devices/1-0041/hwmon/hwmon4/";
  Put(of_bus + "name", "ina3221");
  Put(of_bus + "in1_label", "SOC");
  Put(of_bus + "in1_input", "5000");
  Put(of_bus + "curr1_input", "200");
  const std::string older = "sys/bus/i2c/devices/6-0040/iio:device0/";
  Put(older + "name", "ina3221x");
  Put(older + "rail_name_0", "CPU");
  Put(older + "in_power0_input", "700");
  Put("sys/bus/i2c/devices/2-0050/hwmon/hwmon5/name", "ina226");
  Put("sys/bus/i2c/devices/2-0050/hwmon/hwmon5/curr1_input", "1");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 SOC + CPU + GPU");
  PutRail("1-0040", 1, "GPU", 5000, 400);
  for (const std::string folder : {"devices/1-0040", "drivers/ina3221/1-0041"}) {
    const std::string file =
        "sys/bus/i2c/" + folder + (folder.ends_with("0") ? "/hwmon/hwmon3/" : "/hwmon/hwmon4/");
    Put(file + "name", "ina3221");
    Put(file + "in1_label", folder.ends_with("0") ? "GPU" : "SOC");
    Put(file + "in1_input", "5000");
    Put(file + "curr1_input", "1");
  }
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 GPU + SOC + CPU");
}

TEST_F(EnergySensorsTest, AChannelThatIsOffOrTellsNothingIsLeftOutAlone) {
  const std::string chip = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/";
  PutRail("1-0040", 1, "GPU", 5000, 400);
  PutRail("1-0040", 2, "CPU", 5000, 400);
  PutRail("1-0040", 3, "SOC", 5000, 400);
  Put(chip + "in2_enable", "0");
  Put(chip + "in1_enable", "1");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 GPU + SOC");
  Put(chip + "curr3_input", "");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 GPU");
  Put(chip + "in1_enable", "0");
  Put(chip + "in3_enable", "0");
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "no channel of its chips is on and connected");
}

TEST_F(EnergySensorsTest, ChannelsWithoutNamesHaveThoseOfTheirChip) {
  PutRail("1-0040", 1, "", 5000, 400);
  PutRail("1-0040", 2, "CPU", 5000, 400);
  EXPECT_EQ(NameOrWhyNot(FindIna3221(root_)), "ina3221 1-0040 channel 1 + CPU");
}

TEST_F(EnergySensorsTest, ChipsOfARailEachAreSummedUp) {
  const auto chip = [&](int number, const std::string& name, const std::string& label, int microwatts) {
    const std::string folder = "sys/class/hwmon/hwmon" + std::to_string(number) + "/";
    Put(folder + "name", name);
    if (!label.empty()) Put(folder + "of_node/label", label);
    Put(folder + "power1_input", std::to_string(microwatts));
  };
  chip(0, "ina226", "ina226-u76", 1500000);
  chip(1, "ina226_u77", "", 500000);
  chip(2, "max20751", "", 9000000);
  const EnergySensors found = FindIna2xx(root_, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EXPECT_EQ(found.sensors[0]->name(), "ina2xx ina226-u76 + hwmon1");
  EXPECT_TRUE(found.sensors[0]->OfWholeBoard());
  EXPECT_EQ(found.sensors[0]->Joules(), 0);
  now_ += std::chrono::seconds{3};
  EXPECT_DOUBLE_EQ(found.sensors[0]->Joules(), 6) << "the regulator's own figure is the same current again";
  Put("sys/class/hwmon/hwmon1/power1_input", "n/a");
  EXPECT_THROW(found.sensors[0]->Joules(), EnvironmentError);
  EXPECT_EQ(FindIna2xx(root_).why_not,
            (root_ / "sys/class/hwmon/hwmon1/power1_input").string() + ": no number");
}

TEST_F(EnergySensorsTest, WhatElseTellsAPowerIsNamedAndNotCounted) {
  const std::string none = "no such chip under " + (root_ / "sys/class/hwmon").string();
  EXPECT_EQ(FindIna2xx(root_).why_not, none);
  Put("sys/class/hwmon/hwmon0/name", "coretemp");
  EXPECT_EQ(FindIna2xx(root_).why_not, none);
  Put("sys/class/hwmon/hwmon1/name", "power_meter");
  Put("sys/class/hwmon/hwmon1/power1_average", "120000000");
  Put("sys/class/hwmon/hwmon2/name", "scpi_sensors");
  Put("sys/class/hwmon/hwmon2/energy1_input", "1");
  EXPECT_EQ(FindIna2xx(root_).why_not, none + "; what power_meter, scpi_sensors there counts is not known");
}

TEST_F(EnergySensorsTest, OfACopyNoLibraryIsAsked) {
  for (const EnergySensors& kind : FindEnergySensors(root_)) {
    EXPECT_TRUE(kind.sensors.empty()) << kind.kind;
    if (kind.kind == "nvml") {
      EXPECT_EQ(kind.why_not, "its library tells of the machine itself, not of a copy of its files");
    }
  }
}

class NvmlTest : public ::testing::Test {
 protected:
  NvmlTest() {
    Clear();
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    ::unsetenv("CUDA_DEVICE_ORDER");
  }
  ~NvmlTest() override { Clear(); }
  static void Clear() {
    for (const char* name : {"GPUS", "MILLIJOULES", "MILLIWATTS"}) {
      ::unsetenv((std::string("FAKE_NVML_") + name).c_str());
    }
  }
  static void Set(const std::string& name, const std::string& value) {
    ::setenv(("FAKE_NVML_" + name).c_str(), value.c_str(), 1);
  }

  Nanos now_{0};
  EnergyClock clock_ = [this] { return now_; };
};

TEST_F(NvmlTest, CountsTheEnergyOfAGpu) {
  Set("GPUS", "1");
  Set("MILLIJOULES", "123456");
  const EnergySensors found = FindNvml(TANDEM_FAKE_NVML, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EXPECT_EQ(found.sensors[0]->name(), "nvml gpu 0");
  EXPECT_EQ(found.sensors[0]->Joules(), 0);
  Set("MILLIJOULES", "124956");
  EXPECT_DOUBLE_EQ(found.sensors[0]->Joules(), 1.5);
  Unit gpu = UnitOn("cuda");
  EXPECT_TRUE(found.sensors[0]->Covers(gpu));
  gpu.device = 1;
  EXPECT_FALSE(found.sensors[0]->Covers(gpu));
  EXPECT_FALSE(found.sensors[0]->Covers(UnitOn("cpu", {0})));
}

TEST_F(NvmlTest, SumsUpTheDrawWhereNothingCounts) {
  Set("GPUS", "1");
  Set("MILLIWATTS", "100000");
  const EnergySensors found = FindNvml(TANDEM_FAKE_NVML, clock_);
  ASSERT_EQ(found.sensors.size(), 1u) << found.why_not;
  EXPECT_EQ(found.sensors[0]->name(), "nvml gpu 0, by its draw");
  EXPECT_EQ(found.sensors[0]->Joules(), 0);
  Set("MILLIWATTS", "300000");
  now_ += std::chrono::milliseconds{500};
  EXPECT_DOUBLE_EQ(found.sensors[0]->Joules(), 100);
  Clear();
  EXPECT_THROW(found.sensors[0]->Joules(), EnvironmentError);
}

TEST_F(NvmlTest, SaysWhatIsMissing) {
  EXPECT_NE(FindNvml("libthere-is-none.so").why_not.find("libthere-is-none.so"), std::string::npos);
  EXPECT_EQ(FindNvml(TANDEM_FAKE_NVML).why_not, "nvmlInit: Not Supported");
  Set("GPUS", "0");
  EXPECT_EQ(FindNvml(TANDEM_FAKE_NVML).why_not, "no GPU");
  Set("GPUS", "1");
  EXPECT_EQ(FindNvml(TANDEM_FAKE_NVML).why_not, "nvmlDeviceGetPowerUsage: Not Supported");
}

TEST_F(NvmlTest, WhichGpuIsWhoseHasToBeCertain) {
  Set("GPUS", "2");
  Set("MILLIJOULES", "1");
  EXPECT_EQ(FindNvml(TANDEM_FAKE_NVML).why_not,
            "there are 2 GPUs: CUDA_DEVICE_ORDER=PCI_BUS_ID tells which is whose");
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  EXPECT_EQ(FindNvml(TANDEM_FAKE_NVML).sensors.size(), 2u);
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_NE(FindNvml(TANDEM_FAKE_NVML).why_not.find("CUDA_VISIBLE_DEVICES is set"), std::string::npos);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::unsetenv("CUDA_DEVICE_ORDER");
}

}  // namespace
}  // namespace tandem
