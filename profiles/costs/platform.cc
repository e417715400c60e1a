#include "profiles/costs/platform.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/key_units.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/fields.h"

namespace tandem {
namespace {

// Far beyond any board; they keep arithmetic exact and searches by name short. There are tables with a row
// for every two memories and for every two units that share a core or a device, none for every two units; a
// simulation takes some hundred bytes for each slot.
constexpr std::size_t kMostParts = 512;
constexpr std::size_t kMostUnits = 16'384;
constexpr std::int64_t kMostSlots = 1024;
constexpr std::int64_t kMostSlotsInAll = 524'288;
constexpr std::int64_t kMostSharings = 16'777'216;
constexpr std::int64_t kMostResidentModels = 1'000'000;
constexpr std::int64_t kMostDevices = 1024;
constexpr double kLeastBandwidth = 1, kMostBandwidth = 1e15;
constexpr double kMostWatts = 1e6;
constexpr double kMostPrice = 1e12;

constexpr std::string_view kForPeople = "For people; nothing comes of it.";

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

// So many parts that a platform can have.
as::ListRule Parts(std::size_t least, std::string_view few, std::string_view many,
                   std::size_t most = kMostParts) {
  return {.least = least, .few = few, .most = most, .many = many};
}

// A memory of the platform that is being read.
CodecOf<MemoryId> MemoryName() {
  return as::Custom<MemoryId>([](SchemaDefs& defs) { return as::Name()->Schema(defs); },
                              [](const JsonReader& value, MemoryId& into, Context context) {
                                const auto& platform = context.As<Platform>();
                                into = platform.FindMemory(value.String());
                                if (into.valid()) return;
                                value.Fail("unknown memory " + Quoted(value.String()) +
                                           Suggestion(value.String(), Names(platform.memories)));
                              },
                              [](MemoryId memory, std::string& text, Context context) {
                                text += JsonString(context.As<Platform>().memories[memory.index()].name);
                              });
}

CodecOf<double> Bandwidth() { return as::Number(kLeastBandwidth, kMostBandwidth); }

void MemoryIsNew(const JsonReader& value, const Memory& memory, Context context) {
  if (!context.As<Platform>().FindMemory(memory.name).valid()) return;
  value.Get("name").Fail("the memory " + Quoted(memory.name) + " is given twice");
}

const Fields<Memory>& MemoryFields() {
  static const auto fields = Fields<Memory>("platform_memory")
                                 .Needed("name", &Memory::name, as::Name())
                                 .Rule(MemoryIsNew)
                                 .Optional("capacity_bytes", &Memory::capacity_bytes,
                                           as::Integer(1, kMostBytes), "Not limited where it is unknown.")
                                 .Optional("bandwidth_bytes_per_s", &Memory::bandwidth_bytes_per_s,
                                           Bandwidth(), "Shared by the copies that are under way at once.")
                                 .Optional("note", &Memory::note, as::Text(), kForPeople);
  return fields;
}

// A hub of the platform that is being read.
CodecOf<HubId> HubName() {
  return as::Custom<HubId>([](SchemaDefs& defs) { return as::Name()->Schema(defs); },
                           [](const JsonReader& value, HubId& into, Context context) {
                             const auto& platform = context.As<Platform>();
                             into = platform.FindHub(value.String());
                             if (into.valid()) return;
                             value.Fail("unknown hub " + Quoted(value.String()) +
                                        Suggestion(value.String(), Names(platform.hubs)));
                           },
                           [](HubId hub, std::string& text, Context context) {
                             if (hub.valid())
                               text += JsonString(context.As<Platform>().hubs[hub.index()].name);
                           });
}

void HubIsNew(const JsonReader& value, const Hub& hub, Context context) {
  if (!context.As<Platform>().FindHub(hub.name).valid()) return;
  value.Get("name").Fail("the hub " + Quoted(hub.name) + " is given twice");
}

const Fields<Hub>& HubFields() {
  static const auto fields =
      Fields<Hub>("platform_hub", "What several links are plugged into: a USB hub, a PCIe switch.")
          .Needed("name", &Hub::name, as::Name())
          .Rule(HubIsNew)
          .Needed("bandwidth_bytes_per_s", &Hub::bandwidth_bytes_per_s, Bandwidth(),
                  "Shared by the copies over its links that are under way at once.")
          .Optional("note", &Hub::note, as::Text(), kForPeople);
  return fields;
}

void LinkJoinsTwo(const JsonReader& value, const Link& link, Context) {
  if (link.from == link.to) value.Fail("a link joins two memories, this one joins one with itself");
}

void LinkIsNew(const JsonReader& value, const Link& link, Context context) {
  const auto& platform = context.As<Platform>();
  for (const Link& other : platform.links) {
    if (std::minmax(other.from, other.to) != std::minmax(link.from, link.to)) continue;
    value.Fail("the memories " + Quoted(platform.memories[link.from.index()].name) + " and " +
               Quoted(platform.memories[link.to.index()].name) + " are linked twice; a link works both ways");
  }
}

const Fields<Link>& LinkFields() {
  static const auto fields =
      Fields<Link>("platform_link", "Works both ways.")
          .Needed("from", &Link::from, MemoryName())
          .Needed("to", &Link::to, MemoryName())
          .Rule(LinkJoinsTwo)
          .Optional("latency_us", &Link::latency, as::Micros())
          .Always()
          .Needed("bandwidth_bytes_per_s", &Link::bandwidth_bytes_per_s, Bandwidth(),
                  "Shared by the copies that are under way at once.")
          .Optional("engine", &Link::engine, as::Boolean(), "Copies beside the unit's work.")
          .Optional("hub", &Link::hub, HubName(), "What it is plugged into.")
          .Optional("note", &Link::note, as::Text(), kForPeople)
          .Rule(LinkIsNew);
  return fields;
}

CodecOf<const BackendDeclaration*> BackendName() {
  return as::Custom<const BackendDeclaration*>(
      [](SchemaDefs&) {
        std::vector<std::string_view> words;
        for (const BackendDeclaration* backend : DeclaredBackends()) words.push_back(backend->name);
        return as::EnumSchema(words);
      },
      [](const JsonReader& value, const BackendDeclaration*& into, Context) {
        into = ReadBackendName(value);
      },
      [](const BackendDeclaration* backend, std::string& text, Context) {
        if (backend != nullptr) text += JsonString(backend->name);
      });
}

void BackendHasItsKeys(const JsonReader& value, const Unit& unit, Context) {
  CheckBackendKeys(value, unit.backend);
}

void CheckWatts(const JsonReader& value, const char* key, Watts watts) {
  if (watts.AboveIdle() >= 0) return;
  value.Get(key).Fail("busy_w (" + JsonNumber(*watts.busy) + ") is below idle_w (" + JsonNumber(*watts.idle) +
                      ")");
}

void BusyIsAboveIdle(const JsonReader& value, const Unit& unit, Context) {
  CheckWatts(value, "busy_w", {unit.idle_w, unit.busy_w});
}

// What a state does not say is as the unit says.
void StatesAreOfTheUnit(const JsonReader& value, const Unit& unit, Context) {
  if (unit.states.empty()) return;
  Unit in = unit;
  std::size_t s = 0;
  for (const JsonReader at : value.Get("states").Elements()) {
    const StateWatts& state = unit.states[s++];
    if (&state != &*std::ranges::find(unit.states, state.name, &StateWatts::name)) {
      at.Get("name").Fail("the state " + Quoted(state.name) + " is given twice");
    }
    in.state = state.name;
    CheckWatts(at, state.busy_w ? "busy_w" : "idle_w", in.Draws());
  }
}

constexpr Nanos kLeastSlice{1000};  // each end of one is an instant of a simulation

const Fields<StateWatts>& StateWattsFields() {
  static const auto fields =
      Fields<StateWatts>("platform_unit_state", "A clock state of the unit.")
          .Needed("name", &StateWatts::name, as::Name(), "The variant of the profiles that is this state.")
          .Optional("idle_w", &StateWatts::idle_w, as::Number(0, kMostWatts), "The unit's where absent.")
          .Optional("busy_w", &StateWatts::busy_w, as::Number(0, kMostWatts), "The unit's where absent.");
  return fields;
}

constexpr std::string_view kPreemptsSchema =
    R"({"if": {"properties": {"preempts": {"const": true}}, "required": ["preempts"]},)"
    R"( "then": {"properties": {"time_shared": {"const": true}}, "required": ["time_shared"]}})";

std::string SliceSchema() {
  return R"({"if": )" + TimeGivenSchema("slice_us") +
         R"(, "then": {"properties": {"time_shared": {"const": true}, "preempts": {"const": false}},)"
         R"( "required": ["time_shared"]}, "else": {"not": )" +
         TimeGivenSchema("switch_us") + "}}";
}

constexpr std::string_view kOnChipSchema =
    R"({"dependentRequired": {"on_chip_bytes": ["stream_bytes_per_s"], "stream_bytes_per_s": ["on_chip_bytes"]}})";

void StreamsPastItsChip(const JsonReader& value, const Unit& unit, Context) {
  if (unit.on_chip_bytes && !unit.stream_bytes_per_s)
    value.Get("on_chip_bytes")
        .Fail(
            "what does not stay on the chip comes with each task: \"stream_bytes_per_s\" says at what rate");
  if (unit.stream_bytes_per_s && !unit.on_chip_bytes)
    value.Get("stream_bytes_per_s")
        .Fail("weights come by that rate past what stays on the chip: \"on_chip_bytes\" says how much does");
}

void PreemptsWhereItShares(const JsonReader& value, const Unit& unit, Context) {
  if (unit.preempts && !unit.time_shared)
    value.Get("preempts").Fail("a unit preempts where its slots share its time: with \"time_shared\": true");
}

void TakesTurnsWhereItShares(const JsonReader& value, const Unit& unit, Context) {
  const auto slice = value.FindTime("slice_us"), switching = value.FindTime("switch_us");
  if (switching && !slice) switching->Fail("slots take turns where \"slice_us\" says for how long each");
  if (!slice) return;
  if (!unit.time_shared)
    slice->Fail("slots take turns where they share the unit's time: with \"time_shared\": true");
  if (unit.preempts) slice->Fail("a unit that preempts goes by what is urgent, not by turns");
}

const Fields<Unit>& UnitFields() {
  static const std::string backend_keys = BackendKeysSchema();
  static const auto fields =
      Fields<Unit>("platform_unit")
          .Needed("name", &Unit::name, as::Name())
          .Needed("kind", &Unit::kind, as::OneOf(kUnitKindNames, "kind of unit"))
          .Needed("memory", &Unit::memory, MemoryName(), "What it works from.")
          .Optional("slots", &Unit::slots, as::Integer(1, kMostSlots), "Tasks that it runs at a time.")
          .Optional("time_shared", &Unit::time_shared, as::Boolean(),
                    "Its slots take turns, as a driver or an operating system has them: so many tasks at a "
                    "time take "
                    "so many times as long.")
          .Optional("preempts", &Unit::preempts, as::Boolean(),
                    "Of the tasks that share its time those of the streams of greatest priority go on, the "
                    "others rest until these have ended.")
          .Rule(PreemptsWhereItShares, kPreemptsSchema)
          .Optional("slice_us", &Unit::slice, as::Micros(kLeastSlice),
                    "So long one of the slots that share its time has all of it, then the next one; "
                    "absent: each has its part at every moment.")
          .Optional("switch_us", &Unit::switching, as::Micros(),
                    "What passes before another slot than the last one works, with nothing done.")
          .Rule(TakesTurnsWhereItShares, SliceSchema())
          .Optional("dispatch_us", &Unit::dispatch, as::Micros(), "What starting a task costs.")
          .Optional("resident_models", &Unit::resident_models, as::Integer(1, kMostResidentModels),
                    "How many it holds; as many as a scenario's `resident` says, or all, where absent.")
          .Optional("on_chip_bytes", &Unit::on_chip_bytes, as::Integer(0, kMostBytes),
                    "Memory on its chip for weights. Models that are compiled together (`co_compiled` of a "
                    "scenario) share it; others put each other out.")
          .Optional("stream_bytes_per_s", &Unit::stream_bytes_per_s, Bandwidth(),
                    "At what rate weights come there, or with each task where they do not stay.")
          .Rule(StreamsPastItsChip, kOnChipSchema)
          .Optional("idle_w", &Unit::idle_w, as::Number(0, kMostWatts))
          .Optional("busy_w", &Unit::busy_w, as::Number(0, kMostWatts), "At least idle_w.")
          .Rule(BusyIsAboveIdle)
          .Optional("states", &Unit::states,
                    as::ListOf(as::ObjectOf(StateWattsFields()),
                               Parts(1, "a unit has at least one state", "a unit has at most 512 states")),
                    "What it draws in clock states, each a variant of the profiles.")
          .Rule(StatesAreOfTheUnit)
          .Optional("backend", &Unit::backend, BackendName(),
                    "What runs it on the device; absent: it can be simulated, not run.")
          .Rule(BackendHasItsKeys, backend_keys)
          .Optional("cores", &Unit::cores,
                    as::ListOf(as::Integer(0, kMostCores - 1), {.least = 1,
                                                                .few = "a unit needs at least one core",
                                                                .twice = "the core * is given twice"}),
                    "A thread is pinned to each; units that share some exclude each other.")
          .Optional("device", &Unit::device, as::Integer(0, kMostDevices - 1),
                    "The number of its card; units of the same exclude each other.")
          .Optional(
              "command", &Unit::command,
              as::Command("a command cannot hold a zero byte", "a command starts with the name of a program"),
              "A program and its arguments.")
          .Optional("note", &Unit::note, as::Text(), kForPeople);
  return fields;
}

const Fields<Price>& PriceFields() {
  static const auto fields = Fields<Price>("platform_price", "What one board costs.")
                                 .Needed("amount", &Price::amount, as::Number(0, kMostPrice))
                                 .Needed("currency", &Price::currency, as::Name(), "As in \"USD\".");
  return fields;
}

// Of all at once: asking each for those before it would take time by the square of them.
void UnitsAreNew(const JsonReader& value, const Platform& platform, Context) {
  std::unordered_set<std::string_view> names;
  std::size_t u = 0;
  for (const JsonReader at : value.Get("units").Elements()) {
    const std::string& name = platform.units[u++].name;
    if (!names.insert(name).second) at.Get("name").Fail("the unit " + Quoted(name) + " is given twice");
  }
}

void SlotsAreNotTooMany(const JsonReader& value, const Platform& platform, Context) {
  std::int64_t slots = 0;
  for (const Unit& unit : platform.units) slots += unit.slots;
  if (slots <= kMostSlotsInAll) return;
  value.Get("units").Fail("the units have " + std::to_string(slots) +
                          " slots together, a platform has at most " + std::to_string(kMostSlotsInAll));
}

void SharingsAreNotTooMany(const JsonReader& value, const Platform& platform, Context) {
  std::unordered_map<std::int64_t, std::int64_t> cores, devices;  // how many units have it so far
  std::int64_t pairs = 0;
  for (const Unit& unit : platform.units) {
    for (const std::int64_t core : unit.cores) pairs += cores[core]++;
    if (unit.device) pairs += devices[*unit.device]++;
  }
  if (pairs <= kMostSharings) return;
  value.Get("units").Fail("two units share a core or a device " + std::to_string(pairs) +
                          " times, a platform has that at most " + std::to_string(kMostSharings) +
                          " times; units that are only simulated can do without cores");
}

std::string JudgePlatform(const JsonReader& root) {
  const Platform platform = ReadPlatform(root);
  return Counted(platform.units.size(), "unit") + ", " +
         Counted(platform.memories.size(), "memory", "memories") + ", " +
         Counted(platform.links.size(), "link");
}

const FileKindRegistration kPlatformKind{
    {"platform/1", AsAnyFields<Platform, PlatformFields>, JudgePlatform}};

}  // namespace

const Fields<Platform>& PlatformFields() {
  static const auto fields =
      Fields<Platform>("platform", "a board, its units, memories and links")
          .Kind("platform/1", false)
          .IsContext()
          .Needed("name", &Platform::name, as::Name())
          .Optional("note", &Platform::note, as::Text(), "Where the figures come from.")
          .Optional("price", &Platform::price, as::ObjectOf(PriceFields()), "What one board costs.")
          .Needed("memories", &Platform::memories,
                  as::ListOf(as::ObjectOf(MemoryFields()), Parts(1, "a platform has at least one memory",
                                                                 "a platform has at most 512 memories")),
                  "The first is where model inputs start and outputs end.")
          .Optional("hubs", &Platform::hubs,
                    as::ListOf(as::ObjectOf(HubFields()), Parts(0, "", "a platform has at most 512 hubs")))
          .Optional("links", &Platform::links,
                    as::ListOf(as::ObjectOf(LinkFields()), Parts(0, "", "a platform has at most 512 links")))
          .Needed(
              "units", &Platform::units,
              as::ListOf(as::ObjectOf(UnitFields()), Parts(1, "a platform has at least one unit",
                                                           "a platform has at most 16384 units", kMostUnits)))
          .Rule(UnitsAreNew)
          .Rule(SlotsAreNotTooMany)
          .Rule(SharingsAreNotTooMany);
  return fields;
}

UnitId Platform::FindUnit(std::string_view unit_name) const { return FindByName<UnitId>(units, unit_name); }
MemoryId Platform::FindMemory(std::string_view memory_name) const {
  return FindByName<MemoryId>(memories, memory_name);
}
HubId Platform::FindHub(std::string_view hub_name) const { return FindByName<HubId>(hubs, hub_name); }
std::vector<std::string> Platform::UnitNames() const { return Names(units); }

double Platform::AloneOver(const Link& link) const {
  double least = link.bandwidth_bytes_per_s;
  if (link.hub.valid()) least = std::min(least, hubs[link.hub.index()].bandwidth_bytes_per_s);
  for (const MemoryId end : {link.from, link.to})
    least = std::min(least, memories[end.index()].bandwidth_bytes_per_s.value_or(least));
  return least;
}

UnitNames::UnitNames(const Platform& platform) {
  for (std::size_t u = 0; u < platform.units.size(); ++u) ids_.try_emplace(platform.units[u].name, u);
}

UnitId UnitNames::Find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? UnitId() : found->second;
}

Watts Unit::Draws() const {
  const auto in = std::ranges::find(states, state, &StateWatts::name);
  if (in == states.end()) return {idle_w, busy_w};
  return {in->idle_w ? in->idle_w : idle_w, in->busy_w ? in->busy_w : busy_w};
}

bool Exclude(const Unit& a, const Unit& b) {
  if (a.device && a.device == b.device) return true;
  return std::any_of(a.cores.begin(), a.cores.end(), [&](std::int64_t core) {
    return std::find(b.cores.begin(), b.cores.end(), core) != b.cores.end();
  });
}

bool CanMeet(const Platform& platform, UnitId a, UnitId b) {
  const Unit &one = platform.unit(a), &other = platform.unit(b);
  return a != b && one.memory == other.memory && !Exclude(one, other);
}

Platform ReadPlatform(const JsonReader& value) { return PlatformFields().Read(value); }

Platform ReadPlatformFile(const std::filesystem::path& path) {
  return ReadPlatform(JsonDocument::ReadFile(path).root());
}

std::string PlatformJson(const Platform& platform) { return PlatformFields().File(platform); }

}  // namespace tandem
