// A scenario with one part of its board twice as fast: what the profiles and the platform say of it, halved.
#pragma once

#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

class FasterScenario {
 public:
  // It has a platform and profiles.
  explicit FasterScenario(Scenario scenario);

  // The scenario in which the unit's work takes half its time, rounded up: entries alone, not dispatch and
  // loads, and whatever slows it down still does. Good until the next call.
  const Scenario& WithUnit(UnitId unit);
  // Copies over the link take half their time, and its own latency and bandwidth are twice as good.
  const Scenario& WithLink(LinkId link);

 private:
  void Restore();
  const Scenario& Done();  // with the times of the profiles as they are now

  Scenario scenario_;
  Platform platform_;
  std::vector<Profile> profiles_;
};

}  // namespace tandem
