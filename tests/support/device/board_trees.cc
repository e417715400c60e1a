#include "tests/support/device/board_trees.h"

#include <fstream>
#include <functional>
#include <map>

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
    bool pairs = false;  // the L2 cache is one of two cores, else each has its own
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
    }
  }
  void Cache(std::int64_t first, std::int64_t last, int index, const std::string& size) const {
    for (std::int64_t core = first; core <= last; ++core) {
      Write("sys/devices/system/cpu/cpu" + std::to_string(core) + "/cache/index" + std::to_string(index) +
                "/size",
            size);
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
  void Scaled(const std::string& device, std::int64_t least, std::int64_t most, std::int64_t now) const {
    const std::string folder = "sys/class/devfreq/" + device + "/";
    Write(folder + "min_freq", std::to_string(least));
    Write(folder + "max_freq", std::to_string(most));
    Write(folder + "cur_freq", std::to_string(now));
    Write(folder + "governor", "nvhost_podgov");
  }

 private:
  fs::path root_;
};

// In its mode of 15 W four of its eight cores are offline; each two share an L2 cache and are a package.
void AgxXavier(const Tree& tree) {
  tree.Model("Jetson-AGX");
  tree.Cpuinfo("model name\t: ARMv8 Processor rev 0 (v8l)");
  tree.Memory(32691708);
  for (std::int64_t pair = 0; pair < 2; ++pair) {
    tree.Add({2 * pair, 2 * pair + 1, pair, 115200, 1190400, 0, "schedutil", true});
  }
  tree.Write("sys/devices/system/cpu/online", "0-3");
  tree.Write("sys/devices/system/cpu/offline", "4-7");
  tree.Cache(0, 3, 0, "64K");
  tree.Cache(0, 3, 1, "128K");
  tree.Cache(0, 3, 2, "2048K");
  tree.Cache(0, 3, 3, "4096K");
  tree.RailsByIio("1-0040", 0, {{"GPU", 620}, {"CPU", 774}, {"SOC", 1239}});
  tree.RailsByIio("1-0041", 1, {{"CV", 0}, {"VDDRQ", 309}, {"SYS5V", 2100}});
  tree.Scaled("17000000.gv11b", 318750000, 675750000, 318750000);
  tree.Zone(0, "CPU-therm", 35500);
  tree.Zone(1, "GPU-therm", 34000);
  tree.Cooling(0, "thermal-cpufreq-0", 0, 10);
}

void OrinNano(const Tree& tree) {
  tree.Model("NVIDIA Jetson Orin Nano Developer Kit");
  tree.Cpuinfo("model name\t: ARMv8 Processor rev 1 (v8l)");
  tree.Memory(7633912);
  tree.Add({0, 3, 0, 115200, 1510400, 1024, "schedutil"});
  tree.Add({4, 5, 1, 115200, 1510400, 1024, "schedutil"});
  tree.Cache(0, 5, 2, "256K");
  tree.Cache(0, 5, 3, "2048K");
  tree.RailsByHwmon("1-0040", 1,
                    {{"VDD_IN", 4960, 1008}, {"VDD_CPU_GPU_CV", 4960, 152}, {"VDD_SOC", 4960, 296}});
  tree.Scaled("17000000.gpu", 306000000, 624750000, 306000000);
  tree.Zone(0, "cpu-thermal", 48312);
  tree.Zone(1, "gpu-thermal", 47218);
}

void Rk3399(const Tree& tree) {
  tree.Model("Firefly-RK3399 Board");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd03");
  tree.Memory(3911168);
  tree.Add({0, 3, 0, 408000, 1416000, 485, "schedutil"});
  tree.Add({4, 5, 1, 408000, 1800000, 1024, "schedutil"});
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
  tree.Add({0, 3, 0, 408000, 1800000, 530, "ondemand"});
  tree.Add({4, 5, 0, 408000, 2352000, 1024, "ondemand"});
  tree.Add({6, 7, 0, 408000, 2304000, 1004, "ondemand"});
  tree.Cache(0, 3, 2, "128K");
  tree.Cache(4, 7, 2, "512K");
  tree.Cache(0, 7, 3, "3072K");
  tree.Scaled("dmc", 534000000, 2112000000, 528000000);
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
  tree.Zone(0, "cpu0-thermal", 56000);
  tree.Cooling(0, "thermal-cpufreq-1", 0, 17);
}

void Zcu102(const Tree& tree) {
  tree.Model("ZynqMP ZCU102 Rev1.0");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd03");
  tree.Memory(4032224);
  tree.Add({0, 3, 0, 299999, 1199999, 0, "userspace"});
}

void RaspberryPi5(const Tree& tree) {
  tree.Model("Raspberry Pi 5 Model B Rev 1.0");
  tree.Cpuinfo("CPU implementer\t: 0x41\nCPU part\t: 0xd0b");
  tree.Memory(8245280);
  tree.Add({0, 3, 0, 1500000, 2400000, 1024, "ondemand"});
  tree.Cache(0, 3, 2, "512K");
  tree.Cache(0, 3, 3, "2048K");
  tree.Zone(0, "cpu-thermal", 50450);
  tree.Cooling(0, "pwm-fan", 1, 4);
}

const std::map<std::string, std::pair<std::int64_t, void (*)(const Tree&)>>& Boards() {
  static const std::map<std::string, std::pair<std::int64_t, void (*)(const Tree&)>> boards = {
      {"agx-xavier", {4, AgxXavier}},
      {"orin-nano", {6, OrinNano}},
      {"rk3399", {6, Rk3399}},
      {"rk3588", {8, Rk3588}},
      {"exynos5422", {8, Exynos5422}},
      {"zcu102", {4, Zcu102}},
      {"raspberry-pi-5", {4, RaspberryPi5}}};
  return boards;
}

}  // namespace

std::vector<BoardTree> BoardTrees() {
  std::vector<BoardTree> trees;
  for (const auto& [name, board] : Boards()) {
    BoardTree& tree = trees.emplace_back(BoardTree{name, {}});
    for (std::int64_t core = 0; core < board.first; ++core) tree.cores.push_back(core);
  }
  return trees;
}

void WriteBoardTree(const std::string& name, const fs::path& root) { Boards().at(name).second(Tree(root)); }

}  // namespace tandem
