// A scenario with parts of its board faster or slower than its profiles and platform say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// So many times as fast, `speed` above 0; times are rounded up to the nanosecond. These change the platform
// and the profiles, and CountAnew makes the table of costs of them again.
//
// The unit's work: entries and parts alone, not dispatch, loads and copies, and whatever slows it down still
// does. Returns how many times of the profiles changed.
std::size_t SpeedUpUnit(UnitId unit, double speed, Scenario& scenario);
// The same of the work of one model there, in batches of that size.
std::size_t SpeedUpModel(const std::string& key, std::int64_t batch, UnitId unit, double speed,
                         Scenario& scenario);
// Copies of the profiles over the link, as it was on the board `before`, which has the same links: what they
// take beyond the latency changes as what a copy over it has alone does.
std::size_t FollowLink(LinkId link, const Platform& before, Scenario& scenario);
// What the profiles say that starting a task on the unit costs, where it cost `before`, becomes what the
// platform says.
std::size_t FollowDispatch(UnitId unit, Nanos before, Scenario& scenario);
void CountAnew(Scenario& scenario);

// One part of the board twice as fast.
class FasterScenario {
 public:
  // It has a platform and profiles.
  explicit FasterScenario(Scenario scenario);

  // Good until the next call.
  const Scenario& WithUnit(UnitId unit);
  // Its own latency and bandwidth are twice as good.
  const Scenario& WithLink(LinkId link);

 private:
  void Restore();

  Scenario scenario_;
  Platform platform_;
  std::vector<Profile> profiles_;
};

}  // namespace tandem
