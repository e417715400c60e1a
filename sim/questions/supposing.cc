#include "sim/questions/supposing.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/key_units.h"
#include "profiles/base/suggest.h"
#include "sim/sweep/json_values.h"

namespace tandem {
namespace {

using Json = nlohmann::json;
using Way = std::vector<std::string>;

constexpr double kFastest = 1e6;
constexpr double kMostClones = 10000;

bool IsPart(const Way& way, std::string_view list) { return way.size() == 2 && way[0] == list; }
bool IsArrival(const Way& way) { return way.size() == 3 && way[0] == "streams" && way[2] == "arrival"; }

// What is understood beside what files have.
std::vector<std::string> ExtraKeys(const Way& way) {
  if (IsPart(way, "units") || IsPart(way, "links")) return {"speed"};
  return IsArrival(way) ? std::vector<std::string>{"rate"} : std::vector<std::string>{};
}

std::string Shown(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
std::string MemberText(const Json& object, const std::string& key) {
  return !key.empty() && object.contains(key) ? Shown(object[key]) : "(not given)";
}
std::string Became(const std::string& what, const std::string& before, const std::string& after) {
  return what + ": " + before + " -> " + after;
}

double SpeedOf(const AskedValue& value) {
  if (!value.number || !(value.unit.empty() || value.IsFactor()) || *value.number <= 0 ||
      *value.number > kFastest || *value.number < 1 / kFastest) {
    throw InputError("a speed is so many times what it is now: a number above 0, as in 1.5 or 2x");
  }
  return *value.number;
}

double Factor(const AskedValue& value) {
  if (*value.number < 0) throw InputError("a factor is not below 0");
  return *value.number;
}

void Multiply(Json& object, const std::string& key, double factor) { MultiplyJson(object[key], factor, key); }

// "deadline=2": in what?
void CheckSaysUnit(const NamedPlace& place, const AskedValue& value) {
  if (!place.without_unit || !value.number || !value.unit.empty() || *value.number == 0) return;
  const TimeKey time(place.key);
  if (!time.has_unit()) return;
  throw InputError(place.Text() + " is a time: say in what, as in " + value.text + " ms, or " +
                   Quoted(time.In("ms")));
}

std::string SetMember(const NamedPlace& place, const AskedValue& value) {
  Json& object = *place.object;
  std::string before = MemberText(object, place.spelled);
  if (value.IsFactor()) {
    const std::string key = place.spelled.empty() ? place.key : place.spelled;
    if (place.spelled.empty() && !place.standard) {
      throw InputError(place.Text() + " is not given: there is nothing to multiply");
    }
    if (place.spelled.empty()) {
      object[key] = JsonNumberFor(*place.standard, key);
      before = Shown(object[key]) + " (not given)";
    }
    Multiply(object, key, Factor(value));
    if (place.integer) object[key] = Json::parse(JsonNumber(std::round(object[key].get<double>())));
    return Became(Joined(Way(place.way.begin(), place.way.end() - 1), ".") + "." + key, before,
                  Shown(object[key]));
  }
  CheckSaysUnit(place, value);
  Json set = JsonForKey(value, place.key);
  const std::string spelled = place.spelled == place.key ? "" : place.spelled;
  if (!spelled.empty()) object.erase(spelled);
  object[place.key] = std::move(set);
  return Became(place.Text(), spelled.empty() ? before : before + " (" + spelled + ")",
                MemberText(object, place.key));
}

std::string SetLinkSpeed(const NamedPlace& place, double before_it, double speed, double by) {
  Json& link = *place.object;
  const std::string bandwidth = "bandwidth_bytes_per_s";
  const std::string before = MemberText(link, bandwidth);
  Multiply(link, bandwidth, by);
  std::string text = Became(place.Text(), JsonNumber(before_it), JsonNumber(speed)) + " (" +
                     Became(bandwidth, before, MemberText(link, bandwidth));
  for (const auto& [key, value] : link.items()) {
    if (!TimeKey("latency_us").IsSpelled(key)) continue;
    const std::string was = Shown(value);
    Multiply(link, key, 1 / by);
    text += ", " + Became(key, was, Shown(link[key]));
    break;
  }
  return text + ")";
}

// The member of an arrival that says its rate; empty where none does.
std::string RateKey(const Json& arrival) {
  for (const auto& [key, value] : arrival.items()) {
    if (!value.is_number()) continue;
    if (key == "fps" || key == "qps" || key == "rate_per_s" || key == "target_qps") return key;
    if (TimeKey("period_us").IsSpelled(key)) return key;
  }
  return {};
}

bool IsPeriod(const std::string& key) { return TimeKey("period_us").IsSpelled(key); }

// What an arrival of this type says its rate by.
std::string UsualRateKey(const NamedPlace& place) {
  const std::string type = place.object->value("type", "");
  if (type == "periodic") return "fps";
  if (type == "poisson") return "rate_per_s";
  if (type == "server") return "target_qps";
  throw InputError(Joined(Way(place.way.begin(), place.way.end() - 1), ".") + " is " + Quoted(type) +
                   ": it has no rate");
}

std::string SetRate(const NamedPlace& place, const AskedValue& value) {
  Json& arrival = *place.object;
  const std::string there = RateKey(arrival), usual = UsualRateKey(place);
  const std::string asked =
      place.key == "rate" ? (there.empty() || IsPeriod(there) ? usual : there) : place.key;
  const std::string what = Joined(Way(place.way.begin(), place.way.end() - 1), ".") + ".";
  const std::string before = MemberText(arrival, there);
  if (value.IsFactor()) {
    if (there.empty()) throw InputError(place.Text() + " is not given: there is nothing to multiply");
    if (Factor(value) == 0) throw InputError("a rate is above 0");
    Multiply(arrival, there, IsPeriod(there) == IsPeriod(asked) ? *value.number : 1 / *value.number);
    return Became(what + there, before, MemberText(arrival, there));
  }
  CheckSaysUnit(place, value);
  Json set = JsonForKey(value, asked);
  if (!there.empty()) arrival.erase(there);
  arrival[asked] = std::move(set);
  const bool other = !there.empty() && there != asked;
  return Became(what + asked, other ? there + " " + before : before, MemberText(arrival, asked));
}

Nanos DispatchOf(const Scenario& scenario, const std::string& unit) {
  const UnitId id = scenario.platform->FindUnit(unit);
  return scenario.costs && id.valid() ? scenario.costs->Dispatch(id) : Nanos{0};
}

bool IsDispatch(const NamedPlace& place) {
  return place.way.size() == 3 && place.way[0] == "units" && TimeKey("dispatch_us").IsSpelled(place.key);
}

// By what it really is: as measured, where that counts instead of the platform's.
std::string SetDispatch(NamedPlace place, const AskedValue& value, const Scenario& unchanged) {
  const Nanos now = DispatchOf(unchanged, place.way[1]);
  if (!value.IsFactor()) {
    const std::string text = SetMember(place, value);
    return Became(place.Text(), JsonNumber(InMicros(now)) + " us", text.substr(text.rfind("-> ") + 3));
  }
  Json& unit = *place.object;
  if (!place.spelled.empty()) unit.erase(place.spelled);
  const Json set = JsonNumberFor(InMicros(now) * Factor(value), "dispatch_us");
  unit["dispatch_us"] = set;
  place.way.back() = "dispatch_us";
  return Became(place.Text(), JsonNumber(InMicros(now)), Shown(set));
}

const Json* StreamCalled(const Json& scenario, const std::string& name) {
  for (const Json& stream : scenario["streams"]) {
    if (stream.value("name", "") == name) return &stream;
  }
  return nullptr;
}

std::string ParentOf(const Json& stream) {
  return stream.contains("depends_on") && stream["depends_on"].is_object()
             ? stream["depends_on"].value("stream", "")
             : "";
}

// What waits for one that is there several times waits for all of them.
Json JoiningAll(const Json& stream, const std::vector<std::string>& cloned, std::int64_t copies) {
  Json changed = stream;
  if (!changed.contains("depends_on") || !changed["depends_on"].contains("joins")) return changed;
  Json all = Json::array();
  for (const Json& joined : changed["depends_on"]["joins"]) {
    if (!joined.is_string() ||
        std::find(cloned.begin(), cloned.end(), joined.get<std::string>()) == cloned.end()) {
      all.push_back(joined);
      continue;
    }
    for (std::int64_t k = 1; k <= copies; ++k)
      all.push_back(joined.get<std::string>() + "_" + std::to_string(k));
  }
  changed["depends_on"]["joins"] = std::move(all);
  return changed;
}

}  // namespace

bool IsUnitSpeed(const NamedPlace& place) {
  return place.key == "speed" && place.way.size() == 3 && place.way[0] == "units";
}
bool IsSpeed(const NamedPlace& place) {
  return IsUnitSpeed(place) || (place.key == "speed" && place.way.size() == 3 && place.way[0] == "links");
}
bool IsArrivalRate(const NamedPlace& place) {
  const std::string& key = place.key;
  return place.way.size() == 4 && place.way[0] == "streams" && place.way[2] == "arrival" &&
         (key == "rate" || key == "fps" || key == "qps" || key == "rate_per_s" || key == "target_qps" ||
          IsPeriod(key));
}

double RateOf(const NamedPlace& place) {
  const std::string key = RateKey(*place.object);
  if (key.empty()) {
    (void)UsualRateKey(place);
    throw InputError(place.Text() + " is not given");
  }
  const double value = (*place.object)[key].get<double>();
  if (value <= 0) throw InputError(place.Text() + " is not above 0");
  if (!IsPeriod(key)) return value;
  return 1 / InUnitOfKey({{}, value, std::string(TimeKey(key).unit())}, "period_s");
}

Supposing::Supposing(Json& scenario, const Scenario& unchanged, NamedFiles& files, std::string file)
    : scenario_(scenario), unchanged_(unchanged), files_(files), file_(std::move(file)) {}

std::vector<NamedPlace> Supposing::Find(const std::string& path) {
  const auto open = [this](Json& text, const Way& way) {
    if (way == Way{"platform"}) files_.PutInPlace(text, way, file_);
  };
  return NamedPlaces(scenario_, open, ExtraKeys).Find(path);
}

Supposing::Faster Supposing::SpeedUp(const NamedPlace& place, const AskedValue& value) {
  double& speed = speeds_.try_emplace(place.Text(), 1).first->second;
  const Faster faster{speed, SpeedOf(value) * (value.IsFactor() ? speed : 1)};
  speed = faster.after;
  return faster;
}

WhatIf Supposing::Suppose(const Supposed& supposed, std::vector<ProfileEffect>& effects) {
  WhatIf record{supposed.Text(), {}};
  if (const std::string counted = CountedStream(supposed.path); !counted.empty()) {
    record.changes.push_back(CloneStreams(counted, InUnitOfKey(supposed.value, "count"), scenario_));
    return record;
  }
  for (const NamedPlace& place : Find(supposed.path)) {
    if (IsUnitSpeed(place)) {
      const Faster faster = SpeedUp(place, supposed.value);
      effects.push_back({ProfileEffect::Of::kUnitSpeed, place.way[1], faster.by(), record.changes.size()});
      record.changes.push_back(Became(place.Text(), JsonNumber(faster.before), JsonNumber(faster.after)));
    } else if (IsSpeed(place)) {
      const Faster faster = SpeedUp(place, supposed.value);
      record.changes.push_back(SetLinkSpeed(place, faster.before, faster.after, faster.by()));
    } else if (IsArrivalRate(place)) {
      record.changes.push_back(SetRate(place, supposed.value));
    } else if (IsDispatch(place)) {
      effects.push_back({ProfileEffect::Of::kDispatch, place.way[1], 1, record.changes.size()});
      record.changes.push_back(SetDispatch(place, supposed.value, unchanged_));
    } else {
      record.changes.push_back(SetMember(place, supposed.value));
    }
  }
  return record;
}

std::string CountedStream(const std::string& path) {
  constexpr std::string_view kOpening = "count(";
  if (!path.starts_with(kOpening) || !path.ends_with(')')) return {};
  return path.substr(kOpening.size(), path.size() - kOpening.size() - 1);
}

std::vector<std::string> WithDependents(const Json& scenario, const std::string& name) {
  std::vector<std::string> names;
  if (StreamCalled(scenario, name) == nullptr) {
    for (const Json& stream : scenario["streams"]) names.push_back(stream.value("name", ""));
    throw InputError("no stream is called " + Quoted(name) + Suggestion(name, names));
  }
  names = {name};
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const Json& stream : scenario["streams"]) {
      const std::string own = stream.value("name", "");
      const auto among = [&](const std::string& text) {
        return std::find(names.begin(), names.end(), text) != names.end();
      };
      if (!among(own) && among(ParentOf(stream))) names.push_back(own);
    }
  }
  return names;
}

std::string CloneStreams(const std::string& name, double count, Json& scenario) {
  const std::vector<std::string> cloned = WithDependents(scenario, name);
  if (count != std::floor(count) || count < 1 || count > kMostClones) {
    throw InputError("a stream is there a whole number of times, 1 to " + JsonNumber(kMostClones));
  }
  const auto copies = static_cast<std::int64_t>(count);
  Json streams = Json::array();
  for (const Json& stream : scenario["streams"]) {
    const std::string own = stream.value("name", "");
    const bool is_cloned = copies > 1 && std::find(cloned.begin(), cloned.end(), own) != cloned.end();
    if (!is_cloned) {
      streams.push_back(copies > 1 ? JoiningAll(stream, cloned, copies) : stream);
      continue;
    }
    for (std::int64_t k = 1; k <= copies; ++k) {
      Json copy = stream;
      const std::string number = "_" + std::to_string(k);
      copy["name"] = own + number;
      if (!ParentOf(stream).empty()) {
        const auto is_cloned_too = [&](const std::string& text) {
          return std::find(cloned.begin(), cloned.end(), text) != cloned.end();
        };
        Json& follows = copy["depends_on"];
        if (is_cloned_too(ParentOf(stream))) follows["stream"] = ParentOf(stream) + number;
        if (follows.contains("joins")) {
          for (Json& joined : follows["joins"]) {
            const std::string text = joined.is_string() ? joined.get<std::string>() : "";
            if (is_cloned_too(text)) joined = text + number;
          }
        }
      }
      streams.push_back(std::move(copy));
    }
  }
  scenario["streams"] = std::move(streams);
  return Became("count(" + Joined(cloned) + ")", "1", std::to_string(copies));
}

}  // namespace tandem
