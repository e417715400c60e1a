// What a request asks for along its axes: models by batches, units by threads.
#include <algorithm>
#include <cctype>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {
namespace {

using UnitsMade = std::map<std::string, std::vector<std::string>>;  // by the unit that they are of

void MakeModelsOfBatches(ProfileOrder& request) {
  const std::vector<std::int64_t> batches = std::exchange(request.batches, {});
  std::vector<ProfiledModel> models;
  const auto add = [&](ProfiledModel model) {
    if (std::find(models.begin(), models.end(), model) == models.end()) models.push_back(std::move(model));
  };
  for (const ProfiledModel& wish : request.models) {
    if (wish.batch > 0) add(wish);
    for (const std::int64_t batch : batches) {
      if (wish.batch == 0) add({wish.model, batch});
    }
  }
  request.models = std::move(models);
}

bool IsAskedFor(const ProfileOrder& request, const Unit& unit) {
  const auto& names = request.units;
  return names.empty() || std::find(names.begin(), names.end(), unit.name) != names.end();
}

std::vector<Unit> OfThreads(const Unit& unit, const std::vector<std::int64_t>& threads) {
  std::vector<Unit> units;
  for (const std::int64_t count : threads) {
    if (count > static_cast<std::int64_t>(unit.cores.size())) continue;
    units.push_back(unit);
    units.back().name += "-t" + std::to_string(count);
    units.back().cores.resize(static_cast<std::size_t>(count));
  }
  return units;
}

UnitsMade MakeUnits(ProfileOrder& request, const std::vector<std::int64_t>& threads) {
  UnitsMade made;
  std::vector<Unit> units;
  for (const Unit& unit : request.platform.units) {
    std::vector<Unit> own;
    if (unit.OwnsCores() && IsAskedFor(request, unit)) own = OfThreads(unit, threads);
    if (own.empty()) own = {unit};
    for (Unit& one : own) {
      if (one.name != unit.name && request.platform.FindUnit(one.name).valid()) {
        throw InputError("threads: the platform has a unit " + Quoted(one.name) + " already");
      }
      made[unit.name].push_back(one.name);
      units.push_back(std::move(one));
    }
  }
  request.platform.units = std::move(units);
  return made;
}

// What was asked for of a unit is asked for of all that it has become.
void AskForAll(const UnitsMade& made, ProfileOrder& request) {
  std::vector<std::string> units;
  for (const std::string& name : request.units) {
    units.insert(units.end(), made.at(name).begin(), made.at(name).end());
  }
  request.units = std::move(units);
  std::map<std::string, std::vector<std::string>> variants;
  for (const auto& [name, precisions] : request.variants) {
    for (const std::string& one : made.at(name)) variants[one] = precisions;
  }
  request.variants = std::move(variants);
  std::vector<LoadWish> loads;
  for (const LoadWish& load : request.background) {
    for (const std::string& one : made.at(load.unit)) loads.push_back({one, load.load_pct});
  }
  request.background = std::move(loads);
}

void MakeUnitsOfThreads(ProfileOrder& request) {
  for (const std::string& name : request.units) {
    if (!request.platform.FindUnit(name).valid()) return;  // which is told where units are looked for
  }
  const UnitsMade made = MakeUnits(request, std::exchange(request.threads, {}));
  AskForAll(made, request);
  request.platform.name += "-threads";
}

}  // namespace

bool IsNameOfState(std::string_view name) {
  constexpr std::string_view kInside = "-_.";
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || kInside.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

ProfileOrder Expanded(ProfileOrder request) {
  if (!request.batches.empty()) MakeModelsOfBatches(request);
  if (!request.threads.empty() && !request.platform.units.empty()) MakeUnitsOfThreads(request);
  return request;
}

}  // namespace tandem
