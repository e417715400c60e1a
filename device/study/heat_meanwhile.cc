#include "device/study/heat_meanwhile.h"

#include "device/host/info.h"

namespace tandem {
namespace {

std::vector<std::int64_t> CoresToWatch(const std::vector<Unit>& units) {
  std::vector<std::int64_t> cores;
  for (const Unit& unit : units) cores.insert(cores.end(), unit.cores.begin(), unit.cores.end());
  return cores.empty() ? UsableCores() : cores;
}

}  // namespace

HeatWatch::HeatWatch(const std::vector<Unit>& units, const ClockSources& sources)
    : sources_(sources),
      cores_(CoresToWatch(units)),
      gpus_(units, sources.nvml),
      heat_(ReadHeat(sources.root)),
      clocks_(ReadClocks(cores_, sources.root)),
      gpu_clocks_(gpus_.Read()) {}

HeatMeanwhile HeatWatch::UntilNow() const {
  const Heat heat = ReadHeat(sources_.root);  // before anything cools down
  HeatMeanwhile found{HeatText(heat_, heat), ""};
  for (const std::string& text :
       {HeldBackText(heat_, heat), ThrottlingText(clocks_, ReadClocks(cores_, sources_.root)),
        GpuThrottlingText(gpu_clocks_, gpus_.Read())}) {
    if (!text.empty()) found.held_back += (found.held_back.empty() ? "" : "; ") + text;
  }
  return found;
}

}  // namespace tandem
