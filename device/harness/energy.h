// The energy of a run, by the sensors that count the units of its scenario.
#pragma once

#include <optional>

#include "device/energy/meter.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

class RunMeter {
 public:
  RunMeter() = default;
  // `meter` null: no run's energy is measured. Outlives this.
  RunMeter(EnergyMeter* meter, const Scenario& scenario);

  // While nothing runs.
  void MeasureIdle();
  EnergyWindow Begin() const { return {meter_, scope_, idle_watts_}; }

 private:
  EnergyMeter* meter_ = nullptr;
  EnergyScope scope_;
  std::optional<double> idle_watts_;
};

}  // namespace tandem
