// What the clocks, the heat and the draw of GPU units are at the moment, as far as NVIDIA's management
// library tells. Nothing is changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/host/nvml_library.h"
#include "profiles/costs/platform.h"

namespace tandem {

struct GpuClock {
  std::optional<unsigned> sm_mhz, memory_mhz;
  std::optional<unsigned> state;  // 0: the fastest
  std::optional<unsigned> celsius;
  std::optional<double> watts;
  std::optional<unsigned long long> reasons;           // why the clock is not higher, as the library's bits
  std::optional<bool> persistence;                     // the driver stays loaded where nothing runs
  std::optional<unsigned> sm_mhz_set, memory_mhz_set;  // that programs are to get
  std::optional<double> watts_set;                     // the most that it may draw
};

struct GpuClocks {
  std::map<std::string, GpuClock> units;  // by name
  std::string why_not;                    // why there are none although there are such units
};

// Those of backend cuda, to be asked again and again: the library is loaded once.
class GpuWatch {
 public:
  explicit GpuWatch(const std::vector<Unit>& units, const std::string& library = kNvmlName);
  GpuClocks Read() const;

 private:
  std::map<std::string, unsigned> devices_;  // by unit
  std::unique_ptr<NvmlLibrary> nvml_;        // null: none of them is asked
  std::string why_not_;
};

// The same once.
GpuClocks ReadGpuClocks(const std::vector<Unit>& units, const std::string& library = kNvmlName);

// As Origin::clocks has it: {"gpu0": "345 to 1980 MHz, memory 2619 MHz, P8 to P0, 35 to 52 C, 71 to 310 W,
// persistence on"}.
std::map<std::string, std::string> GpuClocksText(const GpuClocks& before, const GpuClocks& after);
// What of it someone has set: "persistence on, 1980 MHz, memory 2619 MHz, up to 700 W". Empty where nothing
// is told.
std::string GpuSettingsText(const GpuClock& clock);
// "gpu0 was held back by its power limit"; empty where none was, at the beginning or at the end.
std::string GpuThrottlingText(const GpuClocks& before, const GpuClocks& after);

}  // namespace tandem
