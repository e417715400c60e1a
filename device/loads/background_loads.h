// Room device/loads: loads and traffic made on purpose.
//
// The loads that a scenario wants on its units beside their work.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/processor/running_load.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// Has it cores of its own that can be kept busy, or a backend that can keep it busy?
bool CanBeLoaded(const Unit& unit);

// What there is to say of a load that was alone on its unit and was to keep it busy for `load_pct` percent of
// the time, where somebody else tells for how much of it the unit was: that it agrees, or that it does not;
// and how much longer known work takes beside it. Empty where nobody tells either.
std::string HeldAgainstTold(const std::string& unit, std::int64_t load_pct, std::optional<double> told,
                            std::optional<double> known = std::nullopt);

// Takes `load_pct` (1..99) percent of the unit, which can be loaded. Throws EnvironmentError.
std::unique_ptr<RunningLoad> LoadOn(const Platform& platform, UnitId unit, std::int64_t load_pct);

// Throws EnvironmentError where a load cannot be made: a core has one load.
void CheckLoads(const Scenario& scenario);

// Made from here on, until this goes.
class BackgroundLoads {
 public:
  explicit BackgroundLoads(const Scenario& scenario);  // whose loads can be made

  // A sentence for each that came to clearly less than it was to be, or ended by itself.
  std::vector<std::string> Missed() const;

 private:
  struct UnitUnderLoad {
    std::string unit;
    std::int64_t load_pct = 0;
    std::unique_ptr<RunningLoad> load;
    bool on_cores = false;
  };
  std::vector<UnitUnderLoad> units_;
};

}  // namespace tandem
