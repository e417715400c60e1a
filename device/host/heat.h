// How warm the board is, and whether its processors are held back for it, as Linux tells where it has no
// counters of that: most ARM boards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tandem {

// Where the kernel has no thermal zones, what hwmon tells takes their place: "k10temp Tctl".
struct Heat {
  std::map<std::string, std::int64_t> millicelsius;  // by zone: "cpu-thermal", others of its type "... #2"
  std::map<std::string, std::int64_t> held_back;     // what limits clocks, by name: how far; 0: not at all
  std::map<std::string, std::int64_t> changes;       // of that, so far, where the kernel counts them
};

// What cools by slowing clocks down, found once: to be asked again and again, beside what is measured. It
// reads what drivers have set and no sensor, which may take milliseconds. A Raspberry Pi's firmware slows
// clocks down by itself, where the voltage is too low, too, and no cooling device shows that: it is asked. So
// are a Jetson Orin's counters of too high a current, which tell no state.
class ClockLimits {
 public:
  explicit ClockLimits(const std::filesystem::path& root = "/");

  bool empty() const { return devices_.empty(); }  // nothing is told
  bool HoldBack() const;                           // does one of them, just now?
  void AddTo(Heat& heat) const;

 private:
  struct Device {
    std::string name;
    std::filesystem::path folder;
  };
  std::vector<Device> devices_;
};

Heat ReadHeat(const std::filesystem::path& root = "/");

// As Origin::clocks has it: {"cpu-thermal": "48 to 61 C"}.
std::map<std::string, std::string> HeatText(const Heat& before, const Heat& after);
// "thermal-cpufreq-1 held clocks back for the heat"; empty where nothing did: neither at the beginning nor at
// the end, nor, where the kernel counts it, in between. "soctherm_oc held clocks back for too high a
// current".
std::string HeldBackText(const Heat& before, const Heat& after);

}  // namespace tandem
