#include "device/loads/background_loads.h"

#include <algorithm>
#include <cmath>

#include "device/loads/core_load.h"
#include "device/processor/backend.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr double kPointsMissed = 0.05;
constexpr std::int64_t kPeriodsToJudge = 20;

std::string Percent(std::int64_t load) { return std::to_string(load) + " %"; }

void CheckSharedCores(const Platform& platform, const std::vector<std::int64_t>& load, std::size_t unit,
                      const std::string& place) {
  for (const std::int64_t core : platform.units[unit].cores) {
    for (std::size_t other = 0; other < platform.units.size(); ++other) {
      const auto& cores = platform.units[other].cores;
      if (load[other] == load[unit] || std::find(cores.begin(), cores.end(), core) == cores.end()) continue;
      throw EnvironmentError(place + " cannot be made: unit " + Quoted(platform.units[other].name) +
                             " shares core " + std::to_string(core) + " with it and is to be under " +
                             Percent(load[other]) + ", and a core has one load");
    }
  }
}

// `cores of a unit of the backend "cpu" and cards of the backend "cuda"`.
std::string WhatCanBeLoaded() {
  std::string text;
  for (const BackendDeclaration* backend : DeclaredBackends()) {
    if (backend->loads.empty()) continue;
    text += (text.empty() ? "" : " and ") + std::string(backend->loads) + " of the backend " +
            Quoted(backend->name);
  }
  return text;
}

}  // namespace

bool CanBeLoaded(const Unit& unit) {
  if (unit.OwnsCores()) return !unit.cores.empty();
  return unit.backend != nullptr && !unit.backend->loads.empty() && FindBackendOf(unit) != nullptr;
}

std::string HeldAgainstTold(const std::string& unit, std::int64_t load_pct, std::optional<double> told,
                            std::optional<double> known) {
  const std::string of = "the load of " + Percent(load_pct) + " on unit " + Quoted(unit) + ", alone: ";
  const std::string beside = known ? "a known kernel that keeps all of the unit busy takes " +
                                         Fixed(*known, 2) + " times as long beside it as alone"
                                   : "";
  if (!told) return known ? of + beside : "";
  const double off = *told - static_cast<double>(load_pct) / 100;
  const std::string told_text =
      "the unit tells that it was busy for " + Percent(std::llround(100 * *told)) + " of the time";
  const std::string and_known = known ? "; " + beside : "";
  if (std::abs(off) <= kPointsMissed + 1e-9) return of + told_text + and_known;
  return of + told_text + ", so that what is measured under it is of another load" +
         (off > 0 ? ", or something else runs there" : "") + and_known;
}

std::unique_ptr<RunningLoad> LoadOn(const Platform& platform, UnitId unit, std::int64_t load_pct) {
  const Unit& of = platform.unit(unit);
  if (of.OwnsCores()) return std::make_unique<CoreLoad>(of.cores, load_pct);
  OpenRequest request;
  request.platform = &platform;
  request.unit = unit;
  return BackendOf(of, platform.name).OpenLoad(request, load_pct);
}

void CheckLoads(const Scenario& scenario) {
  const Platform& platform = *scenario.platform;
  std::vector<std::int64_t> load(platform.units.size());
  for (const UnitLoad& of : scenario.loads) load[of.unit.index()] = of.load_pct;
  for (std::size_t u = 0; u < load.size(); ++u) {
    if (load[u] == 0) continue;
    const Unit& unit = platform.units[u];
    const std::string place =
        scenario.file + ": the load of " + Percent(load[u]) + " on unit " + Quoted(unit.name);
    if (!CanBeLoaded(unit)) {
      throw EnvironmentError(place + " cannot be made: only " + WhatCanBeLoaded() +
                             " can be kept busy; a program under \"background\" may load anything");
    }
    CheckSharedCores(platform, load, u, place);
  }
}

BackgroundLoads::BackgroundLoads(const Scenario& scenario) {
  std::vector<std::int64_t> loaded;  // a core that two units share is kept busy once
  for (const UnitLoad& of : scenario.loads) {
    if (of.load_pct == 0) continue;
    const Unit& unit = scenario.platform->unit(of.unit);
    if (!unit.OwnsCores()) {
      units_.push_back({unit.name, of.load_pct, LoadOn(*scenario.platform, of.unit, of.load_pct)});
      continue;
    }
    std::vector<std::int64_t> cores;
    for (const std::int64_t core : unit.cores) {
      if (std::find(loaded.begin(), loaded.end(), core) == loaded.end()) cores.push_back(core);
    }
    loaded.insert(loaded.end(), cores.begin(), cores.end());
    if (cores.empty()) continue;
    units_.push_back({unit.name, of.load_pct, std::make_unique<CoreLoad>(cores, of.load_pct), true});
  }
}

std::vector<std::string> BackgroundLoads::Missed() const {
  std::vector<std::string> missed;
  for (const UnitUnderLoad& unit : units_) {
    const std::string place = "background: the load on unit " + Quoted(unit.unit);
    const double share = unit.load->Share();
    if (const std::string trouble = unit.load->Trouble(); !trouble.empty()) {
      missed.push_back(place + " ended before the run did: " + trouble);
    } else if (unit.load->elapsed() >= kPeriodsToJudge * kLoadPeriod &&
               share <= static_cast<double>(unit.load_pct) / 100 - kPointsMissed) {
      missed.push_back(place + " came to less than " + Percent(unit.load_pct) + " of " +
                       (unit.on_cores ? "its cores: they were" : "its time: it was") +
                       " too busy with others");
    }
  }
  return missed;
}

}  // namespace tandem
