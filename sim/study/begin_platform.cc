#include "sim/study/begin_platform.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/platform.h"
#include "sim/study/begin_words.h"

namespace tandem::begin_platform {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<WordKey> kUnitKeys = {{"memory", "memory"},
                                        {"cores", "cores", Quantity::kCores},
                                        {"device", "device", Quantity::kInteger},
                                        {"backend", "backend"},
                                        {"command", "command"},
                                        {"slots", "slots", Quantity::kInteger},
                                        {"time_shared", "time_shared", Quantity::kFlag},
                                        {"preempts", "preempts", Quantity::kFlag},
                                        {"slice", "slice_us", Quantity::kMicros},
                                        {"switch", "switch_us", Quantity::kMicros},
                                        {"dispatch", "dispatch_us", Quantity::kMicros},
                                        {"resident", "resident_models", Quantity::kInteger},
                                        {"on_chip", "on_chip_bytes", Quantity::kBytes},
                                        {"stream", "stream_bytes_per_s", Quantity::kBytesPerSecond},
                                        {"idle", "idle_w", Quantity::kWatts},
                                        {"busy", "busy_w", Quantity::kWatts}};
const std::vector<WordKey> kMemoryKeys = {{"capacity", "capacity_bytes", Quantity::kBytes},
                                          {"bandwidth", "bandwidth_bytes_per_s", Quantity::kBytesPerSecond}};
const std::vector<WordKey> kLinkKeys = {{"bandwidth", "bandwidth_bytes_per_s", Quantity::kBytesPerSecond},
                                        {"latency", "latency_us", Quantity::kMicros},
                                        {"hub", "hub"},
                                        {"engine", "engine", Quantity::kFlag}};
constexpr const char* kFirstMemory = "dram";

// What a unit is, where its name says it: "gpu0", "rknpu", "big_cores".
struct NamedAfter {
  std::string_view part;
  std::string_view kind;
};
constexpr std::array<NamedAfter, 18> kNamedAfter = {{{"gpu", "gpu"},
                                                     {"cuda", "gpu"},
                                                     {"mali", "gpu"},
                                                     {"npu", "npu"},
                                                     {"dla", "npu"},
                                                     {"hailo", "npu"},
                                                     {"vpu", "vpu"},
                                                     {"ncs", "vpu"},
                                                     {"myriad", "vpu"},
                                                     {"tpu", "tpu"},
                                                     {"coral", "tpu"},
                                                     {"dsp", "dsp"},
                                                     {"hexagon", "dsp"},
                                                     {"cpu", "cpu"},
                                                     {"core", "cpu"},
                                                     {"cortex", "cpu"},
                                                     {"big", "cpu"},
                                                     {"little", "cpu"}}};

std::vector<std::string> Kinds() {
  std::vector<std::string> kinds;
  for (const auto& kind : kUnitKindNames) kinds.emplace_back(kind.name);
  return kinds;
}

std::string KindByName(const std::string& name, const WordPlace& place) {
  std::string lower = name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const NamedAfter& known : kNamedAfter) {
    if (lower.find(known.part) != std::string::npos) return std::string(known.kind);
  }
  place.Fail("its name does not tell its kind; " + name + ":KIND, with one of " + Joined(Kinds()));
}

// "KIND" behind the name, or already a key.
std::string TakeKind(std::vector<std::string>& parts, const WordPlace& place) {
  if (parts.size() < 2 || parts[1].find('=') != std::string::npos) return KindByName(parts[0], place);
  const std::string kind = parts[1];
  parts.erase(parts.begin() + 1);
  const std::vector<std::string> kinds = Kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    place.Fail("unknown kind of unit " + Quoted(kind) + Suggestion(kind, kinds));
  }
  return kind;
}

// Cores and cards are of a backend; which one, their keys tell.
void NameBackend(const std::string& kind, Json& unit) {
  if (unit.contains("backend")) return;
  if (unit.contains("command")) unit["backend"] = "command";
  if (unit.contains("cores") && kind == "cpu") unit["backend"] = "cpu";
  if (unit.contains("device") && kind == "gpu") unit["backend"] = "cuda";
}

std::string UnitNote(const Json& unit) {
  std::vector<std::string> unknown;
  if (!unit.contains("idle_w") || !unit.contains("busy_w")) {
    unknown.emplace_back("idle_w and busy_w, what it draws, are not given: energy is not told");
  }
  if (!unit.contains("backend")) unknown.emplace_back("without backend it is simulated and not run");
  return Joined(unknown, "; ");
}

Json UnitFrom(const std::string& word) {
  const WordPlace place{"--unit", word};
  std::vector<std::string> parts = WordParts(word);
  if (parts[0].empty()) place.Fail("begins with the unit's name: gpu:gpu");
  const std::string kind = TakeKind(parts, place);
  Json unit = {{"name", parts[0]}, {"kind", kind}};
  for (std::size_t i = 1; i < parts.size(); ++i) PutKey(parts[i], kUnitKeys, place, unit);
  if (!unit.contains("memory")) unit["memory"] = "";  // the first one
  NameBackend(kind, unit);
  if (const std::string note = UnitNote(unit); !note.empty()) unit["note"] = note;
  return unit;
}

// "NAME=SIZE", the size being the one named so.
std::pair<std::string, std::string> NameAndValue(const std::string& part) {
  const std::size_t equals = std::min(part.find('='), part.size());
  return {part.substr(0, equals), equals < part.size() ? part.substr(equals + 1) : ""};
}

Json MemoryFrom(const std::string& word) {
  const WordPlace place{"--memory", word};
  const std::vector<std::string> parts = WordParts(word);
  const auto [name, size] = NameAndValue(parts[0]);
  if (name.empty()) place.Fail("begins with the memory's name: dram=8GB");
  Json memory = {{"name", name}};
  if (!size.empty()) memory["capacity_bytes"] = QuantityOf(size, Quantity::kBytes, place);
  for (std::size_t i = 1; i < parts.size(); ++i) PutKey(parts[i], kMemoryKeys, place, memory);
  if (!memory.contains("capacity_bytes"))
    memory["note"] = "capacity_bytes is not given: nothing is too large";
  return memory;
}

Json HubFrom(const std::string& word) {
  const WordPlace place{"--hub", word};
  const auto [name, bandwidth] = NameAndValue(word);
  if (name.empty() || bandwidth.empty()) place.Fail("is a name and a bandwidth: usb=400MB/s");
  return {{"name", name}, {"bandwidth_bytes_per_s", QuantityOf(bandwidth, Quantity::kBytesPerSecond, place)}};
}

bool Has(const Json& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const Json& one) { return one["name"] == name; });
}

// "dram-vram", where memories may have a '-' in their names.
std::pair<std::string, std::string> EndsOf(const std::string& ends, const Json& memories,
                                           const WordPlace& place) {
  for (std::size_t dash = ends.find('-'); dash != std::string::npos; dash = ends.find('-', dash + 1)) {
    const std::string from = ends.substr(0, dash), to = ends.substr(dash + 1);
    if (Has(memories, from) && Has(memories, to)) return {from, to};
  }
  std::vector<std::string> known;
  for (const Json& memory : memories) known.push_back(memory["name"]);
  const std::string from = ends.substr(0, ends.find('-')),
                    to = ends.substr(std::min(ends.rfind('-'), ends.size() - 1) + 1);
  const std::string& wrong = Has(memories, from) ? to : from;
  place.Fail("joins two memories, such as dram-vram=12GB/s; unknown memory " + Quoted(wrong) +
             Suggestion(wrong, known));
}

Json LinkFrom(const std::string& word, const Json& memories) {
  const WordPlace place{"--link", word};
  const std::vector<std::string> parts = WordParts(word);
  const auto [ends, bandwidth] = NameAndValue(parts[0]);
  const auto [from, to] = EndsOf(ends, memories, place);
  Json link = {{"from", from}, {"to", to}};
  if (!bandwidth.empty()) {
    link["bandwidth_bytes_per_s"] = QuantityOf(bandwidth, Quantity::kBytesPerSecond, place);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) PutKey(parts[i], kLinkKeys, place, link);
  if (!link.contains("bandwidth_bytes_per_s")) place.Fail("needs a bandwidth: " + ends + "=12GB/s");
  if (!link.contains("latency_us")) link["note"] = "latency_us is not given: 0 is taken";
  return link;
}

std::string PlatformNote(const Json& memories, const Json& links) {
  std::string note =
      "Begun by `tandem new platform`. The first memory is where inputs start and outputs end. Notes say "
      "what "
      "is not known; `tandem schema platform` and docs/formats.md have all keys.";
  for (std::size_t i = 1; i < memories.size(); ++i) {
    const auto joins = [&](const Json& link) {
      return link["from"] == memories[i]["name"] || link["to"] == memories[i]["name"];
    };
    if (std::any_of(links.begin(), links.end(), joins)) continue;
    note += " No link leads to memory " + memories[i]["name"].get<std::string>() +
            ": scenarios whose \"transfer\" is not \"none\" need one.";
  }
  return note;
}

}  // namespace
}  // namespace tandem::begin_platform

namespace tandem {

std::string PlatformFrom(const PlatformWords& words, const std::string& file) {
  using begin_platform::Json;
  Json memories = Json::array(), hubs = Json::array(), links = Json::array(), units = Json::array();
  for (const std::string& word : words.memories) memories.push_back(begin_platform::MemoryFrom(word));
  for (const std::string& word : words.units) units.push_back(begin_platform::UnitFrom(word));
  if (memories.empty()) memories.push_back(begin_platform::MemoryFrom(begin_platform::kFirstMemory));
  for (Json& unit : units) {
    if (unit["memory"].get<std::string>().empty()) unit["memory"] = memories[0]["name"];
    const std::string memory = unit["memory"];
    if (!begin_platform::Has(memories, memory)) memories.push_back(begin_platform::MemoryFrom(memory));
  }
  for (const std::string& word : words.hubs) hubs.push_back(begin_platform::HubFrom(word));
  for (const std::string& word : words.links) links.push_back(begin_platform::LinkFrom(word, memories));
  Json platform = {{"tandem", "platform/1"},
                   {"name", words.name},
                   {"note", begin_platform::PlatformNote(memories, links)},
                   {"memories", std::move(memories)}};
  if (!hubs.empty()) platform["hubs"] = std::move(hubs);
  if (!links.empty()) platform["links"] = std::move(links);
  platform["units"] = std::move(units);
  return PlatformJson(ReadPlatform(JsonDocument::Parse(platform.dump(), file).root()));
}

}  // namespace tandem
