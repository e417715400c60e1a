#include "device/harness/energy.h"

#include "profiles/base/input_error.h"

namespace tandem {

RunMeter::RunMeter(EnergyMeter* meter, const Scenario& scenario) : meter_(meter) {
  if (meter_ == nullptr) return;
  std::vector<const Unit*> units;
  for (const Unit& unit : scenario.platform->units) units.push_back(&unit);
  scope_ = meter_->ScopeOf(units);
}

void RunMeter::MeasureIdle() {
  if (meter_ == nullptr || !scope_.known()) return;
  try {
    idle_watts_ = meter_->IdleOnce(scope_);
  } catch (const EnvironmentError&) {
    // A run asks the sensor again, and says why it has no figure.
  }
}

}  // namespace tandem
