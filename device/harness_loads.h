// The loads that a scenario wants on its units beside their work.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/core_load.h"
#include "scenarios/scenario.h"

namespace tandem {

// Has it cores of its own that can be kept busy?
bool CanBeLoaded(const Unit& unit);

// Throws EnvironmentError where a load cannot be made: only cores can be kept busy, and a core has one load.
void CheckLoads(const Scenario& scenario);

// Made from here on, until this goes.
class BackgroundLoads {
 public:
  explicit BackgroundLoads(const Scenario& scenario);  // whose loads can be made

  // A sentence for each that came to clearly less than it was to be.
  std::vector<std::string> Missed() const;

 private:
  struct UnitUnderLoad {
    std::string unit;
    std::int64_t load_pct = 0;
    std::unique_ptr<CoreLoad> load;
  };
  std::vector<UnitUnderLoad> units_;
};

}  // namespace tandem
