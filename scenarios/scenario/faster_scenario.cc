#include "scenarios/scenario/faster_scenario.h"

#include <cmath>

namespace tandem {
namespace {

Nanos Over(Nanos time, double speed) {
  return Nanos{static_cast<std::int64_t>(std::ceil(static_cast<double>(time.count()) / speed))};
}

template <class Change>
void ChangeTiming(Timing& time, const Change& change) {
  time.median = change(time.median);
  for (Nanos& sample : time.samples) sample = change(sample);
}

bool Joins(const Link& link, const Platform& platform, const TransferEntry& entry) {
  const std::string &a = platform.memories[link.from.index()].name,
                    &b = platform.memories[link.to.index()].name;
  return (entry.from == a && entry.to == b) || (entry.from == b && entry.to == a);
}

// The unit's entries and parts that are wanted.
template <class IsWanted>
std::size_t SpeedUp(UnitId unit, double speed, Scenario& scenario, const IsWanted& is_wanted) {
  const std::string& name = scenario.platform->unit(unit).name;
  const auto over = [speed](Nanos time) { return Over(time, speed); };
  std::size_t changed = 0;
  for (Profile& profile : scenario.profiles) {
    for (CostEntry& entry : profile.entries) {
      if (entry.unit != name || !is_wanted(entry)) continue;
      ChangeTiming(entry.time, over);
      for (std::optional<Nanos>* const beside : {&entry.cold, &entry.inside, &entry.device}) {
        if (*beside) *beside = over(**beside);
      }
      ++changed;
    }
    for (PartEntry& entry : profile.parts) {
      if (entry.unit != name || !is_wanted(entry)) continue;
      ChangeTiming(entry.time, over);
      ++changed;
    }
  }
  return changed;
}

}  // namespace

std::size_t SpeedUpUnit(UnitId unit, double speed, Scenario& scenario) {
  return SpeedUp(unit, speed, scenario, [](const auto&) { return true; });
}

std::size_t SpeedUpModel(const std::string& key, std::int64_t batch, UnitId unit, double speed,
                         Scenario& scenario) {
  return SpeedUp(unit, speed, scenario,
                 [&](const auto& entry) { return entry.model == key && entry.batch == batch; });
}

std::size_t FollowLink(LinkId id, const Platform& board_before, Scenario& scenario) {
  const Link &before = board_before.links[id.index()], &link = scenario.platform->links[id.index()];
  const double speed = scenario.platform->AloneOver(link) / board_before.AloneOver(before);
  const auto follow = [&](Nanos time) {
    const Nanos waited = std::min(time, before.latency);
    const Nanos latency = waited == before.latency
                              ? link.latency
                              : Over(waited, static_cast<double>(before.latency.count()) /
                                                 static_cast<double>(link.latency.count()));
    return latency + Over(time - waited, speed);
  };
  std::size_t changed = 0;
  for (Profile& profile : scenario.profiles) {
    for (TransferEntry& entry : profile.transfers) {
      if (!Joins(link, *scenario.platform, entry)) continue;
      ChangeTiming(entry.time, follow);
      ++changed;
    }
  }
  return changed;
}

std::size_t FollowDispatch(UnitId id, Nanos before, Scenario& scenario) {
  const Unit& unit = scenario.platform->unit(id);
  std::size_t changed = 0;
  for (Profile& profile : scenario.profiles) {
    for (DispatchEntry& entry : profile.dispatch) {
      if (entry.unit != unit.name || entry.split) continue;
      if (before > Nanos{0} && unit.dispatch > Nanos{0}) {
        const double speed = static_cast<double>(before.count()) / static_cast<double>(unit.dispatch.count());
        ChangeTiming(entry.time, [speed](Nanos time) { return Over(time, speed); });
      } else {
        entry.time = {unit.dispatch, {}};
      }
      ++changed;
    }
  }
  return changed;
}

void CountAnew(Scenario& scenario) { scenario.costs = CostsOf(scenario); }

FasterScenario::FasterScenario(Scenario scenario)
    : scenario_(std::move(scenario)), platform_(*scenario_.platform), profiles_(scenario_.profiles) {}

void FasterScenario::Restore() {
  scenario_.platform = platform_;
  scenario_.profiles = profiles_;
}

const Scenario& FasterScenario::WithUnit(UnitId unit) {
  Restore();
  SpeedUpUnit(unit, 2, scenario_);
  CountAnew(scenario_);
  return scenario_;
}

const Scenario& FasterScenario::WithLink(LinkId link) {
  Restore();
  Link& faster = scenario_.platform->links[link.index()];
  faster.latency = Over(faster.latency, 2);
  faster.bandwidth_bytes_per_s *= 2;
  FollowLink(link, platform_, scenario_);
  CountAnew(scenario_);
  return scenario_;
}

}  // namespace tandem
