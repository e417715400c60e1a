// What heat there was while something was measured, and what held clocks back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/host/clock_settings.h"
#include "device/host/clocks.h"
#include "device/host/gpu_clocks.h"
#include "device/host/heat.h"

namespace tandem {

// Empty where the system tells nothing, or nothing was held back.
struct HeatMeanwhile {
  std::map<std::string, std::string> heat;  // {"cpu-thermal": "48 to 61 C"}
  std::string held_back;                    // "thermal-cpufreq-0 held clocks back for the heat"
};

// From when it is made. Of what counts throttling by core or card, those of `units` count.
class HeatWatch {
 public:
  HeatWatch(const std::vector<Unit>& units, const ClockSources& sources);

  HeatMeanwhile UntilNow() const;

 private:
  ClockSources sources_;
  std::vector<std::int64_t> cores_;
  GpuWatch gpus_;
  Heat heat_;
  CoreClocks clocks_;
  GpuClocks gpu_clocks_;
};

}  // namespace tandem
