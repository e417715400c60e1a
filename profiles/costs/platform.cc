#include "profiles/costs/platform.h"

#include <algorithm>
#include <set>
#include <utility>

#include "profiles/base/decimal.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// Far beyond any board; they keep arithmetic exact and searches by name short.
constexpr std::size_t kMostParts = 512;
constexpr std::int64_t kMostSlots = 1024;
constexpr std::int64_t kMostResidentModels = 1'000'000;
constexpr std::int64_t kMostCores = 65536;
constexpr std::int64_t kMostDevices = 1024;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 52;
constexpr double kLeastBandwidth = 1, kMostBandwidth = 1e15;
constexpr double kMostWatts = 1e6;

template <class Part>
std::vector<std::string> Names(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  return names;
}

template <class IdType, class Part>
IdType FindByName(const std::vector<Part>& parts, std::string_view name) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].name == name) return IdType(i);
  }
  return IdType();
}

MemoryId ReadMemoryName(const JsonReader& value, const Platform& platform) {
  const MemoryId memory = platform.FindMemory(value.String());
  if (memory.valid()) return memory;
  value.Fail("unknown memory " + Quoted(value.String()) +
             Suggestion(value.String(), Names(platform.memories)));
}

double ReadBandwidth(const JsonReader& value) { return value.Number(kLeastBandwidth, kMostBandwidth); }

Memory ReadMemory(const JsonReader& value, const Platform& platform) {
  value.OnlyKeys({"name", "capacity_bytes", "bandwidth_bytes_per_s"});
  Memory memory;
  memory.name = value.Get("name").Name();
  if (platform.FindMemory(memory.name).valid()) {
    value.Get("name").Fail("the memory " + Quoted(memory.name) + " is given twice");
  }
  if (const auto capacity = value.Find("capacity_bytes")) {
    memory.capacity_bytes = capacity->Integer(1, kMostBytes);
  }
  if (const auto bandwidth = value.Find("bandwidth_bytes_per_s")) {
    memory.bandwidth_bytes_per_s = ReadBandwidth(*bandwidth);
  }
  return memory;
}

Link ReadLink(const JsonReader& value, const Platform& platform) {
  value.OnlyKeys({"from", "to", "latency_us", "bandwidth_bytes_per_s", "engine"});
  Link link;
  link.from = ReadMemoryName(value.Get("from"), platform);
  link.to = ReadMemoryName(value.Get("to"), platform);
  if (link.from == link.to) value.Fail("a link joins two memories, this one joins one with itself");
  if (const auto latency = value.Find("latency_us")) link.latency = latency->Micros();
  link.bandwidth_bytes_per_s = ReadBandwidth(value.Get("bandwidth_bytes_per_s"));
  if (const auto engine = value.Find("engine")) link.engine = engine->Boolean();
  return link;
}

std::vector<std::int64_t> ReadCores(const JsonReader& value) {
  std::vector<std::int64_t> cores;
  std::set<std::int64_t> seen;
  for (const JsonReader core : value.Elements()) {
    cores.push_back(core.Integer(0, kMostCores - 1));
    if (!seen.insert(cores.back()).second)
      core.Fail("the core " + std::to_string(cores.back()) + " is given twice");
  }
  if (cores.empty()) value.Fail("a unit needs at least one core");
  return cores;
}

std::vector<std::string> ReadCommand(const JsonReader& value) {
  std::vector<std::string> command;
  for (const JsonReader word : value.Elements()) {
    command.emplace_back(word.String());
    if (command.back().find('\0') != std::string::npos) word.Fail("a command cannot hold a zero byte");
  }
  if (command.empty() || command[0].empty()) value.Fail("a command starts with the name of a program");
  return command;
}

// What a backend cannot do without.
void Require(const JsonReader& unit, const char* key, Backend needs, Backend backend) {
  if (backend != needs || unit.Find(key)) return;
  unit.Fail("the key \"" + std::string(key) + "\" is missing, which the backend " +
            std::string(NameOf(kBackendNames, needs)) + " needs");
}

// `cores` and `device` also say, without any backend, which units exclude each other. Cores belong to
// whatever runs on the processor, a device to CUDA.
void ReadBackend(const JsonReader& value, Unit& unit) {
  if (const auto backend = value.Find("backend")) unit.backend = backend->OneOf(kBackendNames, "backend");
  Require(value, "cores", Backend::kCpu, unit.backend);
  Require(value, "device", Backend::kCuda, unit.backend);
  Require(value, "command", Backend::kCommand, unit.backend);
  if (const auto cores = value.Find("cores")) {
    if (unit.backend == Backend::kCuda) cores->Fail("a unit with \"backend\": \"cuda\" has no cores");
    unit.cores = ReadCores(*cores);
  }
  if (const auto device = value.Find("device")) {
    if (unit.backend != Backend::kNone && unit.backend != Backend::kCuda) {
      device->Fail("only a unit with \"backend\": \"cuda\", or without any, has a device");
    }
    unit.device = device->Integer(0, kMostDevices - 1);
  }
  if (const auto command = value.Find("command")) {
    if (unit.backend != Backend::kCommand) {
      command->Fail("only a unit with \"backend\": \"command\" has this key");
    }
    unit.command = ReadCommand(*command);
  }
}

void ReadPower(const JsonReader& value, Unit& unit) {
  if (const auto idle = value.Find("idle_w")) unit.idle_w = idle->Number(0, kMostWatts);
  const auto busy = value.Find("busy_w");
  if (!busy) return;
  unit.busy_w = busy->Number(0, kMostWatts);
  if (unit.idle_w && *unit.busy_w < *unit.idle_w) {
    busy->Fail("busy_w (" + JsonNumber(*unit.busy_w) + ") is below idle_w (" + JsonNumber(*unit.idle_w) +
               ")");
  }
}

Unit ReadUnit(const JsonReader& value, const Platform& platform) {
  value.OnlyKeys({"name", "kind", "memory", "slots", "dispatch_us", "resident_models", "idle_w", "busy_w",
                  "backend", "cores", "device", "command"});
  Unit unit;
  unit.name = value.Get("name").Name();
  if (platform.FindUnit(unit.name).valid()) {
    value.Get("name").Fail("the unit " + Quoted(unit.name) + " is given twice");
  }
  unit.kind = value.Get("kind").OneOf(kUnitKindNames, "kind of unit");
  unit.memory = ReadMemoryName(value.Get("memory"), platform);
  if (const auto slots = value.Find("slots")) unit.slots = slots->Integer(1, kMostSlots);
  if (const auto dispatch = value.Find("dispatch_us")) unit.dispatch = dispatch->Micros();
  if (const auto resident = value.Find("resident_models")) {
    unit.resident_models = resident->Integer(1, kMostResidentModels);
  }
  ReadPower(value, unit);
  ReadBackend(value, unit);
  return unit;
}

// The list under `key` with at least `least` members.
JsonReader ReadParts(const JsonReader& value, const char* key, const char* part, std::size_t least) {
  const JsonReader parts = value.Get(key);
  (void)parts.Elements();  // is an array
  if (parts.size() < least) parts.Fail(std::string("a platform has at least one ") + part);
  if (parts.size() > kMostParts)
    parts.Fail("a platform has at most " + std::to_string(kMostParts) + " " + key);
  return parts;
}

void ReadLinks(const JsonReader& value, Platform& platform) {
  std::set<std::pair<MemoryId, MemoryId>> joined;
  if (!value.Find("links")) return;
  for (const JsonReader element : ReadParts(value, "links", "link", 0).Elements()) {
    const Link link = ReadLink(element, platform);
    if (!joined.insert(std::minmax(link.from, link.to)).second) {
      element.Fail("the memories " + Quoted(platform.memories[link.from.index()].name) + " and " +
                   Quoted(platform.memories[link.to.index()].name) +
                   " are linked twice; a link works both ways");
    }
    platform.links.push_back(link);
  }
}

std::string MemoryJson(const Memory& memory) {
  JsonObject json;
  json.AddString("name", memory.name);
  if (memory.capacity_bytes) json.Add("capacity_bytes", std::to_string(*memory.capacity_bytes));
  if (memory.bandwidth_bytes_per_s) {
    json.Add("bandwidth_bytes_per_s", JsonNumber(*memory.bandwidth_bytes_per_s));
  }
  return json.Text();
}

std::string LinkJson(const Link& link, const Platform& platform) {
  JsonObject json;
  json.AddString("from", platform.memories[link.from.index()].name);
  json.AddString("to", platform.memories[link.to.index()].name);
  json.Add("latency_us", DecimalText(link.latency.count(), 3));
  json.Add("bandwidth_bytes_per_s", JsonNumber(link.bandwidth_bytes_per_s));
  if (link.engine) json.Add("engine", "true");
  return json.Text();
}

std::string UnitJson(const Unit& unit, const Platform& platform) {
  JsonObject json;
  json.AddString("name", unit.name);
  json.AddString("kind", NameOf(kUnitKindNames, unit.kind));
  json.AddString("memory", platform.memories[unit.memory.index()].name);
  if (unit.slots != 1) json.Add("slots", std::to_string(unit.slots));
  if (unit.dispatch != Nanos{0}) json.Add("dispatch_us", DecimalText(unit.dispatch.count(), 3));
  if (unit.resident_models) json.Add("resident_models", std::to_string(*unit.resident_models));
  if (unit.idle_w) json.Add("idle_w", JsonNumber(*unit.idle_w));
  if (unit.busy_w) json.Add("busy_w", JsonNumber(*unit.busy_w));
  if (unit.backend != Backend::kNone) json.AddString("backend", NameOf(kBackendNames, unit.backend));
  if (!unit.cores.empty()) json.Add("cores", JsonIntegers(unit.cores));
  if (unit.device) json.Add("device", std::to_string(*unit.device));
  if (!unit.command.empty()) json.Add("command", JsonStrings(unit.command));
  return json.Text();
}

// "key": [ with one part a line.
template <class Part, class Write>
std::string PartsJson(const char* key, const std::vector<Part>& parts, Write write) {
  std::string lines;
  for (const Part& part : parts) lines += (lines.empty() ? "\n    " : ",\n    ") + write(part);
  return "  \"" + std::string(key) + "\": [" + lines + (parts.empty() ? "]" : "\n  ]");
}

}  // namespace

UnitId Platform::FindUnit(std::string_view unit_name) const { return FindByName<UnitId>(units, unit_name); }
MemoryId Platform::FindMemory(std::string_view memory_name) const {
  return FindByName<MemoryId>(memories, memory_name);
}
std::vector<std::string> Platform::UnitNames() const { return Names(units); }

Platform ReadPlatform(const JsonReader& value) {
  // In place, inside a scenario, the kind goes without saying.
  const bool whole_file = value.Where() == value.file();
  if (whole_file || value.Find("tandem")) ExpectFileKind(value, "platform/1");
  value.OnlyKeys({"tandem", "name", "note", "memories", "links", "units"});
  Platform platform;
  platform.name = value.Get("name").Name();
  if (const auto note = value.Find("note")) platform.note = note->String();
  for (const JsonReader memory : ReadParts(value, "memories", "memory", 1).Elements()) {
    platform.memories.push_back(ReadMemory(memory, platform));
  }
  ReadLinks(value, platform);
  for (const JsonReader unit : ReadParts(value, "units", "unit", 1).Elements()) {
    platform.units.push_back(ReadUnit(unit, platform));
  }
  return platform;
}

Platform ReadPlatformFile(const std::filesystem::path& path) {
  return ReadPlatform(JsonDocument::ReadFile(path).root());
}

std::string PlatformJson(const Platform& platform) {
  std::string text = "{\n  \"tandem\": \"platform/1\",\n  \"name\": " + JsonString(platform.name) + ",\n";
  if (!platform.note.empty()) text += "  \"note\": " + JsonString(platform.note) + ",\n";
  text += PartsJson("memories", platform.memories, MemoryJson) + ",\n";
  if (!platform.links.empty()) {
    text += PartsJson("links", platform.links, [&](const Link& link) { return LinkJson(link, platform); });
    text += ",\n";
  }
  text += PartsJson("units", platform.units, [&](const Unit& unit) { return UnitJson(unit, platform); });
  return text + "\n}\n";
}

}  // namespace tandem
