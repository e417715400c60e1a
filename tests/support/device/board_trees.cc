#include "tests/support/device/board_trees.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tandem {
namespace {
namespace fs = std::filesystem;

class Tree {
 public:
  explicit Tree(fs::path root) : root_(std::move(root)) {}

  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text << '\n';
  }
  void Model(const std::string& model) const {
    fs::create_directories(root_ / "sys/firmware/devicetree/base");
    std::ofstream(root_ / "sys/firmware/devicetree/base/model", std::ios::binary) << model << '\0';
  }
  void Memory(std::int64_t kilobytes) const {
    Write("proc/meminfo",
          "MemTotal:       " + std::to_string(kilobytes) + " kB\nMemFree:          100000 kB");
  }
  // As kernels of 64 bits write it: without a name, unless the vendor added one.
  void Cpuinfo(const std::string& line) const {
    Write("proc/cpuinfo", "processor\t: 0\n" + line + "\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd");
  }

  struct Cores {
    std::int64_t first, last, package, least_khz, most_khz, capacity;  // 0: the kernel tells none
    std::string governor;
    std::optional<int> cluster = std::nullopt;  // as newer kernels number them
  };
  void Add(const Cores& cores) const {
    for (std::int64_t core = cores.first; core <= cores.last; ++core) {
      const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(core) + "/";
      const std::string own = std::to_string(core);
      Write(folder + "topology/physical_package_id", std::to_string(cores.package));
      Write(folder + "topology/thread_siblings_list", own);
      Write(folder + "cpufreq/cpuinfo_max_freq", std::to_string(cores.most_khz));
      Write(folder + "cpufreq/scaling_max_freq", std::to_string(cores.most_khz));
      Write(folder + "cpufreq/scaling_min_freq", std::to_string(cores.least_khz));
      Write(folder + "cpufreq/scaling_cur_freq", std::to_string(cores.most_khz));
      Write(folder + "cpufreq/scaling_governor", cores.governor);
      if (cores.capacity > 0) Write(folder + "cpu_capacity", std::to_string(cores.capacity));
      if (cores.cluster) Write(folder + "topology/cluster_id", std::to_string(*cores.cluster));
    }
  }
  // Which of them are online, of those that are there.
  void Online(const std::string& online, const std::string& present) const {
    Write("sys/devices/system/cpu/online", online);
    Write("sys/devices/system/cpu/present", present);
  }
  struct CacheOf {
    int index, level;
    std::string type, size;
    std::int64_t sharing;  // so many cores have one together
  };
  void Cache(std::int64_t first, std::int64_t last, const CacheOf& cache) const {
    for (std::int64_t core = first; core <= last; ++core) {
      const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(core) + "/cache/index" +
                                 std::to_string(cache.index) + "/";
      const std::int64_t from = first + (core - first) / cache.sharing * cache.sharing,
                         to = std::min(last, from + cache.sharing - 1);
      Write(folder + "level", std::to_string(cache.level));
      Write(folder + "type", cache.type);
      Write(folder + "size", cache.size);
      Write(folder + "shared_cpu_list",
            std::to_string(from) + (to > from ? "-" + std::to_string(to) : std::string()));
    }
  }
  void Zone(int number, const std::string& type, std::int64_t millicelsius) const {
    const std::string folder = "sys/class/thermal/thermal_zone" + std::to_string(number) + "/";
    Write(folder + "type", type);
    Write(folder + "temp", std::to_string(millicelsius));
  }
  void Cooling(int number, const std::string& type, int state, int most) const {
    const std::string folder = "sys/class/thermal/cooling_device" + std::to_string(number) + "/";
    Write(folder + "type", type);
    Write(folder + "cur_state", std::to_string(state));
    Write(folder + "max_state", std::to_string(most));
  }
  // The driver of Jetsons up to L4T 32.
  void RailsByIio(const std::string& chip, int device,
                  const std::vector<std::pair<std::string, int>>& rails) const {
    const std::string folder =
        "sys/bus/i2c/drivers/ina3221x/" + chip + "/iio:device" + std::to_string(device) + "/";
    for (std::size_t i = 0; i < rails.size(); ++i) {
      Write(folder + "rail_name_" + std::to_string(i), rails[i].first);
      Write(folder + "in_power" + std::to_string(i) + "_input", std::to_string(rails[i].second));
    }
  }
  struct Rail {
    std::string label;
    int millivolts, milliamperes;
  };
  void RailsByHwmon(const std::string& chip, int number, const std::vector<Rail>& rails) const {
    const std::string folder =
        "sys/bus/i2c/drivers/ina3221/" + chip + "/hwmon/hwmon" + std::to_string(number) + "/";
    Write(folder + "name", "ina3221");
    for (std::size_t i = 0; i < rails.size(); ++i) {
      const std::string channel = std::to_string(i + 1);
      Write(folder + "in" + channel + "_label", rails[i].label);
      Write(folder + "in" + channel + "_input", std::to_string(rails[i].millivolts));
      Write(folder + "curr" + channel + "_input", std::to_string(rails[i].milliamperes));
    }
  }
  // A chip of the driver ina2xx, one for each rail.
  void Monitor(int number, const std::string& chip, const std::string& label, std::int64_t microwatts) const {
    const std::string folder = "sys/class/hwmon/hwmon" + std::to_string(number) + "/";
    Write(folder + "name", chip);
    Write(folder + "of_node/label", label);
    Write(folder + "power1_input", std::to_string(microwatts));
  }
  void Scaled(const std::string& device, const std::string& governor, std::int64_t least, std::int64_t most,
              std::int64_t now) const {
    const std::string folder = "sys/class/devfreq/" + device + "/";
    Write(folder + "min_freq", std::to_string(least));
    Write(folder + "max_freq", std::to_string(most));
    Write(folder + "cur_freq", std::to_string(now));
    Write(folder + "governor", governor);
  }

 private:
  fs::path root_;
};

// In its mode of 15 W four of its eight cores are offline; each two share an L2 cache and are a package.
void AgxXavier(const Tree& tree) {
  tree.Model("Jetson-AGX");
  tree.Cpuinfo("model name\t: ARMv8 Processor rev 0 (v8l)");
  tree.Memory(32691708);
  tree.Write("proc/version",
             "Linux version 4.9.253-tegra (buildbrain@host) (gcc version 7.3.1) #1 SMP PREEMPT");
  for (std::int64_t pair = 0; pair < 2; ++pair) {
    tree.Add({2 * pair, 2 * pair + 1, pair, 115200, 1190400, 0, "schedutil"});
  }
  tree.Online("0-3", "0-7");
  tree.Write("sys/devices/system/cpu/offline", "4-7");
  tree.Cache(0, 3, {0, 1, "Data", "64K", 1});
  tree.Cache(0, 3, {1, 1, "Instruction", "128K", 1});
  tree.Cache(0, 3, {2, 2, "Unified", "2048K", 2});
  tree.Cache(0, 3, {3, 3, "Unified", "4096K", 4});
  tree.RailsByIio("1-0040", 0, {{"GPU", 620}, {"CPU", 774}, {"SOC", 1239}});
  tree.RailsByIio("1-0041", 1, {{"CV", 0}, {"VDDRQ", 309}, {"SYS5V", 2100}});
  tree.Scaled("17000000.gv11b", "nvhost_podgov", 318750000, 675750000, 318750000);
  tree.Zone(0, "CPU-therm", 35500);
  tree.Zone(1, "GPU-therm", 34000);
  tree.Cooling(0, "thermal-cpufreq-0", 0, 10);
}

// Of its second cluster two cores are not for sale; a cluster has an L3 cache of its own.
void OrinNano(const Tree& tree) {
  tree.Model("NVIDIA Jetson Orin Nano Developer Kit");
  tree.Cpuinfo("model name\t: ARMv8 Processor rev 1 (v8l)");
  tree.Memory(7633912);
  tree.Add({0, 3, 0, 115200, 1510400, 1024, "schedutil"});
  tree.Add({4, 5, 1, 115200, 1510400, 1024, "schedutil"});
  tree.Online("0-5", "0-5");
  tree.Cache(0, 5, {2, 2, "Unified", "256K", 1});
  tree.Cache(0, 3, {3, 3, "Unified", "2048K", 4});
  tree.Cache(4, 5, {3, 3, "Unified", "2048K", 2});
  tree.RailsByHwmon("1-0040", 1,
                    {{"VDD_IN", 4960, 1008}, {"VDD_CPU_GPU_CV", 4960, 152}, {"VDD_SOC", 4960, 296}});
  tree.Scaled("17000000.gpu", "nvhost_podgov", 306000000, 624750000, 306000000);
  tree.Zone(0, "cpu-thermal", 48312);
  tree.Zone(1, "gpu-thermal", 47218);
}

void Rk3399(const Tree& tree) {
  tree.Model("Firefly-RK3399 Board");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd03");
  tree.Memory(3911168);
  tree.Add({0, 3, 0, 408000, 1416000, 485, "schedutil"});
  tree.Add({4, 5, 1, 408000, 1800000, 1024, "schedutil"});
  tree.Online("0-5", "0-5");
  tree.Zone(0, "cpu-thermal", 83125);
  tree.Zone(1, "gpu-thermal", 78600);
  tree.Cooling(0, "thermal-cpufreq-0", 0, 5);
  tree.Cooling(1, "thermal-cpufreq-1", 2, 7);
}

// Three clusters; the two of big cores clock a little differently, from chip to chip.
void Rk3588(const Tree& tree) {
  tree.Model("Radxa ROCK 5B");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd05");
  tree.Memory(16186692);
  tree.Add({0, 3, 0, 408000, 1800000, 530, "ondemand", 0});
  tree.Add({4, 5, 0, 408000, 2352000, 1024, "ondemand", 1});
  tree.Add({6, 7, 0, 408000, 2304000, 1004, "ondemand", 2});
  tree.Online("0-7", "0-7");
  tree.Cache(0, 3, {2, 2, "Unified", "128K", 1});
  tree.Cache(4, 7, {2, 2, "Unified", "512K", 1});
  tree.Cache(0, 7, {3, 3, "Unified", "3072K", 8});
  tree.Scaled("dmc", "dmc_ondemand", 534000000, 2112000000, 528000000);
  tree.Zone(0, "soc-thermal", 41615);
  tree.Zone(1, "bigcore0-thermal", 41615);
  tree.Cooling(0, "cpufreq-cpu0", 0, 6);
}

// 32 bits; its kernel counts the little cores first, as package 1.
void Exynos5422(const Tree& tree) {
  tree.Model("Hardkernel Odroid XU4");
  tree.Cpuinfo("model name\t: ARMv7 Processor rev 3 (v7l)");
  tree.Memory(2041660);
  tree.Add({0, 3, 1, 200000, 1400000, 0, "ondemand"});
  tree.Add({4, 7, 0, 200000, 2000000, 0, "ondemand"});
  tree.Online("0-7", "0-7");
  tree.Zone(0, "cpu0-thermal", 56000);
  tree.Cooling(0, "thermal-cpufreq-1", 0, 17);
}

// Its manual (UG1182) lists a chip for each of 18 rails, which the device tree calls by their places.
void Zcu102(const Tree& tree) {
  tree.Model("ZynqMP ZCU102 Rev1.0");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd03");
  tree.Memory(4032224);
  tree.Add({0, 3, 0, 299999, 1199999, 0, "userspace"});
  tree.Online("0-3", "0-3");
  int number = 0;
  for (const int place : {76, 77, 78, 87, 85, 86, 93, 88, 15, 92, 79, 81, 80, 84, 16, 65, 74, 75}) {
    tree.Monitor(number++, "ina226", "ina226-u" + std::to_string(place), 250000);
  }
}

void RaspberryPi5(const Tree& tree) {
  tree.Model("Raspberry Pi 5 Model B Rev 1.0");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd0b");
  tree.Memory(8245280);
  tree.Add({0, 3, 0, 1500000, 2400000, 1024, "ondemand"});
  tree.Online("0-3", "0-3");
  tree.Cache(0, 3, {2, 2, "Unified", "512K", 1});
  tree.Cache(0, 3, {3, 3, "Unified", "2048K", 4});
  tree.Zone(0, "cpu-thermal", 50450);
  tree.Cooling(0, "pwm-fan", 1, 4);
  tree.Write("sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled", "50000");
}

}  // namespace

void WriteBoardTree(const std::string& name, const fs::path& root) {
  static const std::map<std::string, void (*)(const Tree&)> boards = {{"agx-xavier", AgxXavier},
                                                                      {"orin-nano", OrinNano},
                                                                      {"rk3399", Rk3399},
                                                                      {"rk3588", Rk3588},
                                                                      {"exynos5422", Exynos5422},
                                                                      {"zcu102", Zcu102},
                                                                      {"raspberry-pi-5", RaspberryPi5}};
  boards.at(name)(Tree(root));
}

}  // namespace tandem
