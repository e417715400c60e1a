#include "scenarios/scenario/faster_scenario.h"

namespace tandem {
namespace {

Nanos Half(Nanos time) { return (time + Nanos{1}) / 2; }

void Halve(Timing& time) {
  time.median = Half(time.median);
  for (Nanos& sample : time.samples) sample = Half(sample);
}

}  // namespace

FasterScenario::FasterScenario(Scenario scenario)
    : scenario_(std::move(scenario)), platform_(*scenario_.platform), profiles_(scenario_.profiles) {}

void FasterScenario::Restore() {
  scenario_.platform = platform_;
  scenario_.profiles = profiles_;
}

const Scenario& FasterScenario::Done() {
  std::vector<const Profile*> profiles;
  for (const Profile& profile : scenario_.profiles) profiles.push_back(&profile);
  std::vector<CostTable::ModelRef> models;
  for (const ScenarioModel& model : scenario_.models) models.push_back({model.key, model.model.get()});
  scenario_.costs = CostTable(*scenario_.platform, profiles, std::move(models));
  return scenario_;
}

const Scenario& FasterScenario::WithUnit(UnitId unit) {
  Restore();
  const std::string& name = platform_.unit(unit).name;
  for (Profile& profile : scenario_.profiles) {
    for (CostEntry& entry : profile.entries) {
      if (entry.unit == name) Halve(entry.time);
    }
    for (PartEntry& entry : profile.parts) {
      if (entry.unit == name) Halve(entry.time);
    }
  }
  return Done();
}

const Scenario& FasterScenario::WithLink(LinkId link) {
  Restore();
  Link& faster = scenario_.platform->links[link.index()];
  faster.latency = Half(faster.latency);
  faster.bandwidth_bytes_per_s *= 2;
  const std::string &a = platform_.memories[faster.from.index()].name,
                    &b = platform_.memories[faster.to.index()].name;
  for (Profile& profile : scenario_.profiles) {
    for (TransferEntry& entry : profile.transfers) {
      if ((entry.from == a && entry.to == b) || (entry.from == b && entry.to == a)) Halve(entry.time);
    }
  }
  return Done();
}

}  // namespace tandem
