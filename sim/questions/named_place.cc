#include "sim/questions/named_place.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/key_units.h"
#include "profiles/base/suggest.h"
#include "sim/questions/json_shape.h"

namespace tandem {
namespace {

using Json = nlohmann::json;
using Way = std::vector<std::string>;

// The keys of a platform that are reached as if they were the scenario's own.
constexpr std::array<const char*, 4> kOfPlatform = {"units", "links", "hubs", "memories"};

bool Contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string FirstWord(std::string_view rest) { return std::string(rest.substr(0, rest.find('.'))); }

// Is it the name, or does it go on behind it?
bool Begins(std::string_view rest, std::string_view name) {
  return rest == name || (rest.starts_with(name) && rest.size() > name.size() && rest[name.size()] == '.');
}
std::string_view Behind(std::string_view rest, std::string_view name) {
  return rest == name ? std::string_view{} : rest.substr(name.size() + 1);
}

// The longest of them that `rest` begins with; empty where there is none.
std::string LongestAt(std::string_view rest, const std::vector<std::string>& names) {
  std::string longest;
  for (const std::string& name : names) {
    if (Begins(rest, name) && name.size() > longest.size()) longest = name;
  }
  return longest;
}

// Is the key this word with the unit that it is in behind it: "bandwidth" of "bandwidth_bytes_per_s"?
bool IsWithUnit(const std::string& key, const std::string& word) {
  constexpr std::array<std::string_view, 9> kUnitWords = {"us",  "ms", "s", "bytes", "per",
                                                          "pct", "w",  "j", "ns"};
  if (!key.starts_with(word + "_")) return false;
  std::string_view rest = std::string_view(key).substr(word.size() + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('_'));
    if (std::find(kUnitWords.begin(), kUnitWords.end(), part) == kUnitWords.end()) return false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return true;
}

std::string TextOf(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : "";
}

// What an element of a list is called: by `own` it alone, by `shared` perhaps others too.
struct ElementNames {
  std::vector<std::string> own, shared;
};
ElementNames NamesOf(const Json& element) {
  if (element.is_string()) return {{element.get<std::string>()}, {}};
  const std::string name = TextOf(element, "name"), label = TextOf(element, "label"),
                    from = TextOf(element, "from"), to = TextOf(element, "to"),
                    unit = TextOf(element, "unit");
  if (!from.empty()) return {{from + "-" + to, to + "-" + from}, {from, to}};
  if (!label.empty()) return {{label}, {name}};
  if (!name.empty()) return {{name}, {}};
  return {{unit}, {}};
}

}  // namespace

std::string NamedPlace::Text() const { return Joined(way, "."); }

class NamedPlaces::Walk {
 public:
  Walk(const Open& open, const Extra& extra) : open_(open), extra_(extra) {}

  void Into(Json& value, const JsonShape& shape, std::string_view rest, const Way& way) {
    if (value.is_string()) open_(value, way);
    if (value.is_object()) return IntoObject(value, shape, rest, way);
    if (value.is_array()) return IntoList(value, shape, rest, way);
    throw InputError(Joined(way, ".") + " is " + value.dump() + ": there is nothing inside it");
  }
  std::vector<NamedPlace> found;

 private:
  void IntoObject(Json& object, const JsonShape& shape, std::string_view rest, const Way& way) {
    std::vector<std::string> known = shape.Keys(object, true);
    for (const auto& [key, value] : object.items()) {
      if (!Contains(known, key)) known.push_back(key);
    }
    const std::vector<std::string> extra = extra_(way);
    known.insert(known.end(), extra.begin(), extra.end());
    const std::string key = KeyOf(object, shape, known, rest, way);
    const std::string named = LongestAt(rest, known).empty() ? FirstWord(rest) : key;
    const std::string_view inside = Behind(rest, named);
    Way there = way;
    there.push_back(key);
    if (inside.empty()) {
      Found(object, key, shape, there);
      found.back().without_unit = named != key;
      return;
    }
    if (Contains(extra, key) && !object.contains(key)) {
      throw InputError(Joined(there, ".") + " is a number: there is nothing inside it");
    }
    const JsonShape member = shape.Member(key, object);
    if (!object.contains(key)) {
      const bool map = member.TakesAnyKey();
      if (!map && !member.Is("array")) {
        throw InputError((way.empty() ? "the scenario" : Joined(way, ".")) + " has no " + Quoted(key));
      }
      object[key] = map ? Json::object() : Json::array();
    }
    Into(object[key], member, inside, there);
  }

  std::string KeyOf(const Json& object, const JsonShape& shape, const std::vector<std::string>& known,
                    std::string_view rest, const Way& way) const {
    if (std::string key = LongestAt(rest, known); !key.empty()) return key;
    const std::string word = FirstWord(rest);
    std::string without_unit;  // the one that is there, else the first that may be
    for (const std::string& candidate : known) {
      if (!IsWithUnit(candidate, word)) continue;
      if (without_unit.empty() || object.contains(candidate)) without_unit = candidate;
    }
    if (!without_unit.empty()) return without_unit;
    if (shape.TakesAnyKey()) return std::string(rest);
    std::vector<std::string> words = shape.Keys(object, false);
    std::erase(words, "tandem");
    for (std::string& extra : extra_(way)) words.push_back(std::move(extra));
    const std::string what = way.empty() ? "the scenario" : Joined(way, ".");
    throw InputError(word.empty()
                         ? "a name is missing behind \"" + Joined(way, ".") + ".\"" + Suggestion("", words)
                         : what + " has no key " + Quoted(word) + Suggestion(word, words));
  }

  void Found(Json& object, const std::string& key, const JsonShape& shape, const Way& way) {
    const JsonShape member = shape.Member(key, object);
    NamedPlace place{way, &object, key, {}, member.Standard(), member.Is("integer")};
    if (object.contains(key)) place.spelled = key;
    const TimeKey time(key);
    for (const auto& [there, value] : object.items()) {
      if (place.spelled.empty() && time.has_unit() && time.IsSpelled(there)) place.spelled = there;
    }
    found.push_back(std::move(place));
  }

  void IntoList(Json& list, const JsonShape& shape, std::string_view rest, const Way& way) {
    if (way == Way{"profiles"}) {
      throw InputError("a profile's times change by units.NAME.speed, links.NAME.speed and the like");
    }
    if (list.empty() && !CanBegin(way)) throw InputError("there are no " + Joined(way, "."));
    if (Begins(rest, "*")) {
      for (Json& element : list) IntoElement(element, shape, Behind(rest, "*"), way);
      return;
    }
    std::string name;
    std::vector<Json*> elements = Called(list, rest, &ElementNames::own, name);
    if (elements.empty()) {
      elements = Called(list, rest, &ElementNames::shared, name);
      if (elements.size() > 1 && way.back() == "links") FailShared(elements, name, way);
    }
    if (elements.empty() && CanBegin(way)) elements = {Begun(list, rest, name)};
    if (elements.empty()) FailUnknown(list, rest, way);
    for (Json* element : elements) IntoElement(*element, shape, Behind(rest, name), way);
  }

  void IntoElement(Json& element, const JsonShape& shape, std::string_view rest, const Way& way) {
    Way there = way;
    there.push_back(NamesOf(element).own.front());
    if (rest.empty()) {
      throw InputError(Joined(there, ".") + ": say what of it, as in " + Joined(there, ".") + "." +
                       Joined(SomeKeys(element, shape, there), " or ."));
    }
    if (element.is_string() && way.back() == "policies") element = {{"name", element}};
    Into(element, shape.Element(), rest, there);
  }

  std::vector<std::string> SomeKeys(const Json& element, const JsonShape& shape, const Way& there) const {
    constexpr std::size_t kSome = 2;
    std::vector<std::string> keys = extra_(there);
    for (std::string& key : shape.Element().Keys(element.is_object() ? element : Json::object(), false)) {
      if (key != "name" && key != "from" && key != "to" && key != "unit") keys.push_back(std::move(key));
    }
    keys.resize(std::min(keys.size(), kSome));
    return keys;
  }

  static std::vector<Json*> Called(Json& list, std::string_view rest,
                                   std::vector<std::string> ElementNames::*which, std::string& name) {
    std::vector<Json*> elements;
    for (Json& element : list) {
      const std::string longest = LongestAt(rest, NamesOf(element).*which);
      if (longest.empty() || longest.size() < name.size()) continue;
      if (longest.size() > name.size()) elements.clear();
      name = longest;
      elements.push_back(&element);
    }
    return elements;
  }

  // A load from outside may be supposed of a unit that has none.
  static bool CanBegin(const Way& way) { return way == Way{"background"}; }
  static Json* Begun(Json& list, std::string_view rest, std::string& name) {
    name = std::string(rest.substr(0, rest.rfind('.')));
    list.push_back({{"unit", name}});
    return &list.back();
  }

  [[noreturn]] static void FailShared(const std::vector<Json*>& elements, const std::string& name,
                                      const Way& way) {
    std::vector<std::string> names;
    for (const Json* element : elements) names.push_back(NamesOf(*element).own.front());
    throw InputError("several " + Joined(way, ".") + " are called " + Quoted(name) + ": say which of " +
                     Joined(names) + ", or * for all");
  }
  [[noreturn]] static void FailUnknown(const Json& list, std::string_view rest, const Way& way) {
    std::vector<std::string> names;
    for (const Json& element : list) {
      const ElementNames all = NamesOf(element);
      names.push_back(all.own.front());
      names.insert(names.end(), all.shared.begin(), all.shared.end());
    }
    const std::string word = FirstWord(rest);
    throw InputError(Joined(way, ".") + " has none called " + Quoted(word) + Suggestion(word, names));
  }

  const Open& open_;
  const Extra& extra_;
};

NamedPlaces::NamedPlaces(Json& scenario, Open open, Extra extra)
    : scenario_(scenario), open_(std::move(open)), extra_(std::move(extra)) {}

std::vector<NamedPlace> NamedPlaces::Find(const std::string& path) {
  const bool of_platform =
      std::any_of(kOfPlatform.begin(), kOfPlatform.end(), [&](const char* key) { return Begins(path, key); });
  const Extra extra = [&](const Way& way) {
    return way.empty() ? std::vector<std::string>(kOfPlatform.begin(), kOfPlatform.end()) : extra_(way);
  };
  Walk walk(open_, extra);
  if (!of_platform) {
    walk.Into(scenario_, JsonShape::OfScenario(), path, {});
    return std::move(walk.found);
  }
  Json& platform = scenario_["platform"];
  if (platform.is_string()) open_(platform, {"platform"});
  if (!platform.is_object()) {
    throw InputError("the scenario's platform is " + platform.dump() + ": what it has is not known");
  }
  walk.Into(platform, JsonShape::OfScenario().Member("platform", scenario_), path, {});
  return std::move(walk.found);
}

}  // namespace tandem
