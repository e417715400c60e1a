// What units are and what becomes of them.
#include <algorithm>
#include <set>

#include "profiles/base/decimal.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/emit/features.h"
#include "sim/emit/parts.h"

namespace tandem {
namespace {

std::string Micros(Nanos time) { return DecimalText(time.count(), 3) + " us"; }

// Those that ran something: of the others nothing is deployed.
std::set<UnitId> UnitsAtWork(const Deployment& deployment) {
  std::set<UnitId> units;
  for (const DeployedShare& share : deployment.shares()) units.insert(share.unit);
  return units;
}

// Of each unit at work what `says` of it; empty: nothing.
template <class Says>
std::vector<FeatureUse> OfUnits(const Deployment& deployment, Says says) {
  std::vector<FeatureUse> uses;
  for (const UnitId id : UnitsAtWork(deployment)) {
    const std::string what = says(deployment.platform().unit(id), id);
    if (!what.empty()) uses.push_back({UnitText(deployment.platform(), id) + ": " + what});
  }
  return uses;
}

std::vector<FeatureUse> UsesClockStates(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.InClockState() ? "that it is in its clock state " + Quoted(unit.state) : std::string();
  });
}

std::vector<FeatureUse> UsesPrecisions(const Deployment& deployment) {
  return OfUnits(deployment, [&](const Unit&, UnitId id) {
    const std::string precision = PrecisionOf(deployment.scenario(), id);
    return precision == "fp32" ? std::string() : "computes in " + precision;
  });
}

std::vector<FeatureUse> UsesSlots(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.slots > 1 ? "that it runs " + Counted(unit.slots, "task") + " at a time" : std::string();
  });
}

std::vector<FeatureUse> UsesTimeSharing(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.time_shared ? std::string("that its slots share its time") : std::string();
  });
}

std::vector<FeatureUse> UsesSlices(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.slice ? "that its slots take turns of " + Micros(*unit.slice) : std::string();
  });
}

std::vector<FeatureUse> UsesPreemption(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.preempts ? std::string("that the most urgent go on while others wait (\"preempts\")")
                         : std::string();
  });
}

std::vector<FeatureUse> UsesCores(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.cores.empty() ? std::string() : "its cores " + Joined(unit.cores);
  });
}

std::vector<FeatureUse> UsesDevices(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.device ? "that it is device " + std::to_string(*unit.device) : std::string();
  });
}

std::vector<FeatureUse> UsesExclusion(const Deployment& deployment) {
  const std::set<UnitId> units = UnitsAtWork(deployment);
  std::vector<FeatureUse> uses;
  for (auto a = units.begin(); a != units.end(); ++a) {
    for (auto b = std::next(a); b != units.end(); ++b) {
      const Unit &one = deployment.platform().unit(*a), &two = deployment.platform().unit(*b);
      if (!Exclude(one, two)) continue;
      uses.push_back({"units " + Quoted(one.name) + " and " + Quoted(two.name) +
                      ": that only one of them works at a time"});
    }
  }
  return uses;
}

std::vector<FeatureUse> UsesUnitPrograms(const Deployment& deployment) {
  return OfUnits(deployment, [](const Unit& unit, UnitId) {
    return unit.command.empty() ? std::string() : std::string("that its own program runs it (\"command\")");
  });
}

std::vector<FeatureUse> UsesResidents(const Deployment& deployment) {
  return OfUnits(deployment, [&](const Unit& unit, UnitId id) {
    if (unit.resident_models) {
      return "that it holds " + Counted(*unit.resident_models, "model") + " at a time";
    }
    const auto& held = deployment.scenario().units[id.index()].resident;
    const auto name = [&](ModelId model) { return deployment.scenario().model(model).name; };
    return held ? "that it holds " + Joined(*held, ", ", name) + " alone" : std::string();
  });
}

std::vector<FeatureUse> UsesChips(const Deployment& deployment) {
  return OfUnits(deployment, [&](const Unit& unit, UnitId id) {
    const bool together = !deployment.scenario().units[id.index()].compiled.empty();
    if (!unit.on_chip_bytes) return std::string();
    return together
               ? std::string("which models are compiled together for its chip")
               : "which weights stay in the " + std::to_string(*unit.on_chip_bytes) + " bytes of its chip";
  });
}

std::vector<FeatureUse> UsesLoads(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const UnitLoad& load : deployment.scenario().loads) {
    uses.push_back({UnitText(deployment.platform(), load.unit) + ": a background load of " +
                    std::to_string(load.load_pct) + " %"});
  }
  return uses;
}

std::vector<FeatureUse> UsesSpeeds(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const UnitSpeed& speed : deployment.scenario().speeds) {
    uses.push_back(
        {UnitText(deployment.platform(), speed.unit) + ": another speed from " + Micros(speed.at) + " on"});
  }
  return uses;
}

std::vector<FeatureUse> UsesHeat(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const UnitHeat& heat : deployment.scenario().heat) {
    uses.push_back({UnitText(deployment.platform(), heat.unit) + ": that it is held back where it gets hot"});
  }
  return uses;
}

std::vector<FeatureUse> UsesAbsences(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const UnitAbsence& absence : deployment.scenario().away) {
    uses.push_back({UnitText(deployment.platform(), absence.unit) + ": that it is away from " +
                    Micros(absence.from) + " on"});
  }
  return uses;
}

}  // namespace

std::vector<Feature> UnitFeatures() {
  return {
      {"clock_states",
       "clock states of units",
       {"scenario.variants", "platform_unit.states", "platform_unit_state.name"},
       "* sets no clocks",
       UsesClockStates},
      {"precision",
       "what units compute in",
       {"scenario.variants"},
       "the models are written in fp32",
       UsesPrecisions},
      {"slots", "so many tasks at a time", {"platform_unit.slots"}, "* knows no such number", UsesSlots},
      {"time_shared",
       "slots that share a unit's time",
       {"platform_unit.time_shared"},
       "they share it as its driver has it",
       UsesTimeSharing},
      {"time_slices",
       "time slices",
       {"platform_unit.slice_us", "platform_unit.switch_us"},
       "* sets none",
       UsesSlices},
      {"preempts",
       "the most urgent first, at once",
       {"platform_unit.preempts"},
       "* holds back nothing that has begun",
       UsesPreemption},
      {"cores", "cores of units", {"platform_unit.cores"}, "* places no threads", UsesCores},
      {"device", "which of several devices", {"platform_unit.device"}, "* chooses none", UsesDevices},
      {"exclusion",
       "units that share cores or a device",
       {"platform_unit.cores", "platform_unit.device"},
       "* lets them work at once",
       UsesExclusion},
      {"commands",
       "units that are programs",
       {"platform_unit.command", "platform_unit.backend"},
       "* starts none of the platform's",
       UsesUnitPrograms},
      {"residents",
       "which models a unit holds",
       {"platform_unit.resident_models", "scenario.resident", "plan.resident"},
       "* keeps all of them loaded",
       UsesResidents},
      {"on_chip",
       "memory on chips, models compiled together",
       {"platform_unit.on_chip_bytes", "platform_unit.stream_bytes_per_s", "scenario.co_compiled"},
       "* compiles each model by itself",
       UsesChips},
      {"loads",
       "background loads",
       {"scenario.background", "background.unit", "background.load_pct"},
       "it is not made",
       UsesLoads},
      {"speeds",
       "speeds that change",
       {"scenario.speeds", "unit_speed.unit", "unit_speed.at_us", "unit_speed.speed"},
       "* changes no clocks",
       UsesSpeeds},
      {"heat",
       "units that get hot",
       {"scenario.heat", "unit_heat.unit", "unit_heat.time_constant_us", "unit_heat.hot", "unit_heat.cool",
        "unit_heat.speed", "unit_heat.warmth"},
       "* does not hold it back, the hardware may",
       UsesHeat},
      {"away",
       "units that are not there for a while",
       {"scenario.away", "unit_absence.unit", "unit_absence.from_us", "unit_absence.until_us"},
       "* does not take it away",
       UsesAbsences},
  };
}

}  // namespace tandem
