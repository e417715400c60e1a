// A board's rails, of which chips tell what they draw at the moment: one sensor that sums them up.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/energy/sensor.h"

namespace tandem {

// Its chip tells either a power, or a voltage and a current.
struct Rail {
  std::string label;
  std::filesystem::path power;
  double watts = 0;  // that one of `power` is
  std::filesystem::path millivolts, milliamperes;

  std::optional<double> Watts() const;  // nothing where it cannot be read
  const std::filesystem::path& file() const { return power.empty() ? milliamperes : power; }
};

// One sensor of the whole board: the rail through which it gets everything (VDD_IN, POM_5V_IN) where there is
// one, else the sum of its rails; or why one of them cannot be read. `rails`: one at least.
EnergySensors SensorOfRails(const std::string& kind, std::vector<Rail> rails, EnergyClock clock);

}  // namespace tandem
