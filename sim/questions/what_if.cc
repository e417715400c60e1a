#include "sim/questions/what_if.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/key_units.h"
#include "profiles/base/suggest.h"
#include "scenarios/scenario/faster_scenario.h"
#include "sim/questions/supposing.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// Of what the more there is, the less a board has to do.
bool EasesLoad(const std::string& key) {
  for (const char* easing : {"slots", "capacity_bytes", "bandwidth_bytes_per_s", "resident_models",
                             "on_chip_bytes", "stream_bytes_per_s", "cores"}) {
    if (key == easing) return true;
  }
  return TimeKey("period_us").IsSpelled(key) || TimeKey("deadline_us").IsSpelled(key);
}

void TakeEffect(const ProfileEffect& effect, const Scenario& unchanged, Scenario& scenario, WhatIf& record) {
  const UnitId unit = scenario.platform->FindUnit(effect.unit);
  if (!unit.valid()) return;
  if (effect.of == ProfileEffect::Of::kDispatch) {
    const UnitId same = unchanged.platform->FindUnit(effect.unit);
    FollowDispatch(unit, same.valid() ? unchanged.costs->Dispatch(same) : Nanos{0}, scenario);
    return;
  }
  const std::size_t times = SpeedUpUnit(unit, effect.speed, scenario);
  if (times == 0 && record.changes.size() == 1) {
    throw InputError("the profiles have no times of unit " + Quoted(effect.unit));
  }
  record.changes[effect.change] += " (" + std::to_string(times) + (times == 1 ? " time" : " times") + ")";
}

// What was measured of copies changes with the links.
bool FollowLinks(const Scenario& unchanged, Scenario& scenario) {
  const Platform &before = *unchanged.platform, &now = *scenario.platform;
  bool some = false;
  for (std::size_t l = 0; l < now.links.size() && before.links.size() == now.links.size(); ++l) {
    const bool other = before.links[l].latency != now.links[l].latency ||
                       before.AloneOver(before.links[l]) != now.AloneOver(now.links[l]);
    some = (other && FollowLink(LinkId(l), before, scenario) > 0) || some;
  }
  return some;
}

// "place: what is wrong" of each of several lines, all of the one option.
[[noreturn]] void FailBecauseOf(const Supposed& supposed, const std::string& option, const std::string& why) {
  throw InputError(option + " " + supposed.Text() + ": " + why);
}

std::string TextOfFile(const std::filesystem::path& file) { return ReadTextFile(file, JsonLimit); }

}  // namespace

struct ScenarioFile::Data {
  std::string file;
  Json json;  // of a plan, too
  Scenario unchanged;
  mutable NamedFiles files;

  Json& ScenarioIn(Json& of) const {
    return of.value("tandem", "").starts_with("plan/") ? of["scenario"] : of;
  }
  // Throws InputError without a place where a supposition cannot be made, with one where it can and is wrong.
  Scenario Read(const std::vector<Supposed>& all, std::size_t count, const std::string& option) const;
};

Scenario ScenarioFile::Data::Read(const std::vector<Supposed>& all, std::size_t count,
                                  const std::string& option) const {
  Json changed = json;
  std::vector<WhatIf> records;
  std::vector<std::vector<ProfileEffect>> effects(count);
  Supposing supposing(ScenarioIn(changed), unchanged, files, file);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      records.push_back(supposing.Suppose(all[i], effects[i]));
    } catch (const InputError& error) {
      FailBecauseOf(all[i], option, error.what());
    }
  }
  Scenario scenario = ScenarioToSimulate(JsonLine(changed), file, {});
  bool anew = FollowLinks(unchanged, scenario);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      for (const ProfileEffect& effect : effects[i]) TakeEffect(effect, unchanged, scenario, records[i]);
    } catch (const InputError& error) {
      FailBecauseOf(all[i], option, error.what());
    }
    anew = anew || !effects[i].empty();
  }
  if (anew) CountAnew(scenario);
  scenario.what_if = std::move(records);
  return scenario;
}

ScenarioFile::ScenarioFile(const std::string& argument)
    : ScenarioFile(TextOfFile(FindScenario(argument)), NameOfInput(FindScenario(argument))) {}

ScenarioFile::ScenarioFile(std::string text, std::string file) : data_(std::make_unique<Data>()) {
  data_->file = std::move(file);
  data_->unchanged = ScenarioToSimulate(text, data_->file, {});
  data_->json = Json::parse(text);
}
ScenarioFile::~ScenarioFile() = default;
ScenarioFile::ScenarioFile(ScenarioFile&&) noexcept = default;
ScenarioFile& ScenarioFile::operator=(ScenarioFile&&) noexcept = default;

const Scenario& ScenarioFile::unchanged() const { return data_->unchanged; }

Scenario ScenarioFile::With(const std::vector<Supposed>& all, const std::string& option) const {
  try {
    return data_->Read(all, all.size(), option);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with(option + " ")) throw;
    for (std::size_t count = 1; count < all.size(); ++count) {  // who is the first to blame?
      try {
        (void)data_->Read(all, count, option);
      } catch (const InputError& alone) {
        FailBecauseOf(all[count - 1], option, alone.what());
      }
    }
    if (all.empty()) throw;
    FailBecauseOf(all.back(), option, what);
  }
}

PlaceToVary ScenarioFile::Place(const std::string& path) const {
  Json copy = data_->json;
  Json& scenario = data_->ScenarioIn(copy);
  PlaceToVary vary;
  if (path == "seed") throw InputError("it is chance alone: --replications tries several seeds");
  if (const std::string counted = CountedStream(path); !counted.empty()) {
    WithDependents(scenario, counted);  // is there such a stream?
    vary.now = 1;
    vary.key = "count";
    vary.integer = true;
    return vary;
  }
  Supposing supposing(scenario, data_->unchanged, data_->files, data_->file);
  const std::vector<NamedPlace> places = supposing.Find(path);
  const NamedPlace& first = places.front();
  vary.eases = IsSpeed(first) || EasesLoad(first.key);
  vary.key = first.key;
  if (places.size() > 1 || IsSpeed(first)) {
    vary.now = 1;
    vary.unit = "x";
    return vary;
  }
  vary.integer = first.integer;
  vary.unit = UnitOfKeyText(first.key);
  if (IsArrivalRate(first)) {
    const bool period = TimeKey("period_us").IsSpelled(first.key);
    const double rate = RateOf(first);
    vary.now = period ? InUnitOfKey({{}, 1 / rate, "s"}, first.key) : rate;
    return vary;
  }
  if (first.spelled.empty()) {
    vary.now = first.standard.value_or(0);
    return vary;
  }
  const Json& value = (*first.object)[first.spelled];
  if (!value.is_number())
    throw InputError(first.Text() + " is " + value.dump() + ", no number that could vary");
  const std::string unit(UnitOfKeyText(first.spelled));
  vary.now = InUnitOfKey({{}, value.get<double>(), first.spelled == first.key ? "" : unit}, first.key);
  return vary;
}

std::vector<Supposed> ScenarioFile::KeepingDuration(const std::string& path, double value) const {
  std::vector<Supposed> counts;
  if (!CountedStream(path).empty()) return counts;
  Json copy = data_->json;
  Json& scenario = data_->ScenarioIn(copy);
  const std::vector<NamedPlace> places =
      Supposing(scenario, data_->unchanged, data_->files, data_->file).Find(path);
  for (const NamedPlace& place : places) {
    if (!IsArrivalRate(place)) return counts;
    const bool period = TimeKey("period_us").IsSpelled(place.key);
    const double rate = RateOf(place);
    double factor = value;
    if (places.size() == 1) {
      factor = period ? InUnitOfKey({{}, 1 / rate, "s"}, place.key) / value : value / rate;
    } else if (period) {
      factor = 1 / value;
    }
    for (const Json& stream : scenario["streams"]) {
      if (stream.value("name", "") != place.way[1] || !stream.contains("count")) continue;
      const double count = std::max(1.0, std::round(stream["count"].get<double>() * factor));
      counts.push_back({"streams." + place.way[1] + ".count", {JsonNumber(count), count, ""}});
    }
  }
  return counts;
}

Supposed ReadSupposed(const std::string& text, const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(option + " " + text + ": it is PATH=VALUE, as in units.gpu.speed=1.5");
  }
  try {
    return {text.substr(0, equals), ReadAskedValue(text.substr(equals + 1))};
  } catch (const InputError& error) {
    throw InputError(option + " " + text + ": " + error.what());
  }
}

}  // namespace tandem
