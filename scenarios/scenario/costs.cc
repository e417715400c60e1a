#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/costs/combine.h"
#include "profiles/costs/fields.h"
#include "profiles/costs/model_identity.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

// The name of the profile's platform. One that says the scenario's in so many words is not looked for.
std::string PlatformOf(const Profile& profile, const Scenario& scenario) {
  if (scenario.platform && profile.platform == scenario.platform->name) return profile.platform;
  const auto platform = FindProfilePlatform(profile);
  return platform ? platform->name : profile.platform;
}

// By its name or its file, or the object itself.
Profile ReadProfileAt(const JsonReader& value, const Scenario& scenario) {
  const auto wrong_platform = [&](const std::string& of) {
    return "is a profile of platform " + Quoted(of) + ", not of " + Quoted(scenario.platform->name);
  };
  if (value.IsObject()) {
    Profile profile = ReadProfile(value);
    const std::string of = PlatformOf(profile, scenario);
    if (scenario.platform && of != scenario.platform->name) value.Get("platform").Fail(wrong_platform(of));
    return profile;
  }
  return Within(value, [&] {
    Profile profile = ReadProfileFile(FindFile(value.Name(), scenario.file, "boards", ".profile.json"));
    const std::string of = PlatformOf(profile, scenario);
    if (scenario.platform && of != scenario.platform->name) {
      throw InputError(profile.file + " " + wrong_platform(of));
    }
    return profile;
  });
}

CodecOf<Profile> ProfileOfScenario() {
  return as::ReadOnly<Profile>(
      [](SchemaDefs& defs) {
        return as::AnyOfSchema({as::Name()->Schema(defs), ProfileFields().Schema(defs)});
      },
      [](const JsonReader& value, Profile& into, Context context) {
        into = ReadProfileAt(value, context.As<Scenario>());
      });
}

// But for names of what is shipped: one that is wrong stays an error.
bool AllAreThere(const JsonReader& profiles) {
  std::error_code error;
  for (const JsonReader profile : profiles.Elements()) {
    if (!profile.IsString() || IsShippedName(profile.String())) continue;
    if (!std::filesystem::exists(ResolvePath(profile.String(), profiles.file()), error)) return false;
  }
  return true;
}

CostTable BuildCosts(const JsonReader& value, const Scenario& scenario) {
  return Within(value, [&] { return CostsOf(scenario); });
}

WantedModel WantedOf(const ScenarioModel& model) { return {model.name, model.key, model.model.get()}; }

// Which models of the profiles are the scenario's, and which of entries that several have counts.
void SettleProfiles(const JsonReader& value, Scenario& scenario) {
  std::vector<Profile*> profiles;
  for (Profile& profile : scenario.profiles) profiles.push_back(&profile);
  std::vector<WantedModel> wanted;
  for (const ScenarioModel& model : scenario.models) wanted.push_back(WantedOf(model));
  Within(value, [&] {
    scenario.taken = TakeAlikeModels(profiles, wanted);
    const std::vector<std::string> combined = CombineProfiles(profiles);
    scenario.taken.insert(scenario.taken.end(), combined.begin(), combined.end());
  });
}

// Where its platform stands, for what is wrong inside it: "s.json:/platform", "board.platform.json:".
std::string PlaceOfPlatform(const JsonReader& platform) {
  if (!platform.IsString() || platform.String() == kDevicePlatform) return platform.Where();
  return NameOfInput(FindFile(platform.Name(), platform.file(), "boards", ".platform.json")) + ":";
}

// Clock states of units that the profiles know in variants of other names. A board may well have states that
// nobody has measured yet: so each is told, and refuses nothing.
void TellUnknownStates(const JsonReader& platform, Scenario& scenario) {
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const Unit& unit = scenario.platform->units[u];
    const std::vector<Variant>& variants = scenario.costs->Variants(UnitId(u));
    std::set<std::string> names;
    for (const Variant& variant : variants) {
      if (!variant.name.empty()) names.insert(variant.name);
    }
    for (std::size_t s = 0; !variants.empty() && s < unit.states.size(); ++s) {
      const std::string& state = unit.states[s].name;
      if (names.contains(state)) continue;
      scenario.taken.push_back(PlaceOfPlatform(platform) + "/units/" + std::to_string(u) + "/states/" +
                               std::to_string(s) + "/name: what unit " + Quoted(unit.name) +
                               " draws in state " + Quoted(state) +
                               " is never taken, since no profile has such a variant of it" +
                               Suggestion(state, std::vector(names.begin(), names.end())));
    }
  }
}

// What the streams ask for, once each.
std::vector<CostTable::Wanted> Wanted(const Scenario& scenario) {
  std::set<std::pair<ModelId, std::int64_t>> asked;
  for (const Stream& stream : scenario.streams) asked.emplace(stream.model, stream.batch);
  std::vector<CostTable::Wanted> wanted;
  for (const auto& [model, batch] : asked) wanted.push_back({model, batch});
  return wanted;
}

// Without profiles: what a text that says its precision can only mean.
std::optional<Variant> VariantToMeasure(std::string_view text) {
  const auto slash = text.rfind('/');
  const bool named = slash != std::string_view::npos;
  const std::string_view precision = named ? text.substr(slash + 1) : text;
  const auto is = [&](const Named<bool>& known) { return known.name == precision; };
  if (std::none_of(kPrecisions.begin(), kPrecisions.end(), is)) return std::nullopt;
  return Variant{std::string(named ? text.substr(0, slash) : ""), std::string(precision)};
}

void ReadVariant(const JsonReader& value, std::optional<Variant>& into, Context context) {
  const auto& scenario = context.As<Scenario>();
  const UnitId unit = FindUnit(scenario, value.key(), value);
  const std::string_view variant = value.String();
  into = scenario.costs ? Within(value, [&] { return scenario.costs->FindVariant(unit, variant); })
                        : VariantToMeasure(variant);
}

// Has every layer a time on some unit, alone or in a group?
bool UnitsTogetherRun(const Scenario& scenario, const Stream& stream) {
  std::set<std::int32_t> timed;
  for (const CostTable::Measured& entry : scenario.Entries(stream.model, stream.batch)) {
    if (entry.axis || !scenario.MayHold(stream.model, entry.unit)) continue;
    timed.insert(entry.layers.begin(), entry.layers.end());
  }
  std::int32_t next = 0;
  const auto layers = scenario.model(stream.model).model->layers();
  return std::all_of(layers.begin(), layers.end(), [&](const Layer& layer) {
    return timed.contains(next++) || layer.op == Op::kInput || IsFree(layer.op);
  });
}

std::string WhatUnitsLack(const Scenario& scenario, const Stream& stream) {
  std::string text;
  for (std::size_t i = 0; i < scenario.units.size(); ++i) {
    if (i > 0) text += "; ";
    text += WhyCannotRun(scenario, stream, UnitId(i));
  }
  return text;
}

std::vector<bool> ReachedFrom(const Platform& platform, MemoryId from) {
  std::vector<bool> reached(platform.memories.size());
  std::vector<MemoryId> open = {from};
  reached[from.index()] = true;
  while (!open.empty()) {
    const MemoryId at = open.back();
    open.pop_back();
    for (const Link& link : platform.links) {
      const MemoryId next = link.from == at ? link.to : link.to == at ? link.from : MemoryId();
      if (!next.valid() || reached[next.index()]) continue;
      reached[next.index()] = true;
      open.push_back(next);
    }
  }
  return reached;
}

// Inputs start and outputs end in the first memory: a unit that works elsewhere needs a way there.
void CheckPaths(const JsonReader& root, const Scenario& scenario) {
  if (scenario.transfer != TransferMode::kCopy) return;
  const Platform& platform = *scenario.platform;
  const std::vector<bool> reached = ReachedFrom(platform, MemoryId(0));
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    const Unit& unit = platform.units[i];
    if (reached[unit.memory.index()]) continue;
    const bool used = std::any_of(
        scenario.streams.begin(), scenario.streams.end(),
        [&](const Stream& stream) { return scenario.CanRun(stream.model, UnitId(i), stream.batch); });
    if (!used) continue;
    root.Fail("no link of platform " + Quoted(platform.name) + " leads from memory " +
              Quoted(platform.memories[0].name) + " to " +
              Quoted(platform.memories[unit.memory.index()].name) + " of unit " + Quoted(unit.name) +
              ", so nothing can be copied there; \"transfer\": \"none\" leaves copies out");
  }
}

// A closed stream that no count ends: the next request comes while its duration lasts.
bool EndsByTheClock(const Stream& stream) {
  return std::holds_alternative<ClosedArrival>(stream.arrival) && stream.until.duration > Nanos{0};
}

// Does some unit that can run all of it spend time on a request, or may bringing it there take some?
bool TakesTime(const Scenario& scenario, const Stream& stream) {
  for (std::size_t i = 0; i < scenario.units.size(); ++i) {
    const UnitId unit(i);
    const auto plain = scenario.Time(stream.model, unit, stream.batch);
    const auto mapped = scenario.Time(stream.model, unit, stream.batch, {}, true);
    if (!plain) continue;
    const bool elsewhere = scenario.platform->unit(unit).memory != MemoryId(0);
    if (elsewhere && scenario.transfer == TransferMode::kCopy) return true;
    if (plain->time + scenario.costs->Dispatch(unit) > Nanos{0}) return true;
    if (mapped && mapped->time > Nanos{0}) return true;
  }
  return false;
}

}  // namespace

CostTable CostsOf(const Scenario& scenario) {
  std::vector<const Profile*> profiles;
  for (const Profile& profile : scenario.profiles) profiles.push_back(&profile);
  std::vector<CostTable::ModelRef> models;
  for (const ScenarioModel& model : scenario.models) models.push_back({model.key, model.model.get()});
  return CostTable(*scenario.platform, profiles, std::move(models), CompiledBy(scenario));
}

std::optional<CostQuery> Scenario::Query(ModelId asked, UnitId unit, std::int64_t batch,
                                         std::span<const LayerId> layers, bool mapped) const {
  const auto& variant = units[unit.index()].variant;
  if (!variant) return std::nullopt;
  return CostQuery{asked, unit, *variant, batch, layers, mapped};
}

std::optional<SegmentCost> Scenario::Time(ModelId asked, UnitId unit, std::int64_t batch,
                                          std::span<const LayerId> layers, bool mapped) const {
  const auto query = Query(asked, unit, batch, layers, mapped);
  return query ? costs->Time(*query) : std::nullopt;
}

std::vector<CostTable::Measured> Scenario::Entries(ModelId asked, std::int64_t batch) const {
  std::vector<CostTable::Measured> found;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto query = Query(asked, UnitId(u), batch);
    if (!query) continue;
    const auto there = costs->EntriesOf(*query);
    found.insert(found.end(), there.begin(), there.end());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  return found;
}

bool Scenario::MayHold(ModelId asked, UnitId unit) const {
  const auto& resident = units[unit.index()].resident;
  const bool named = !resident || std::find(resident->begin(), resident->end(), asked) != resident->end();
  return named || costs->Loads(asked, unit);
}

bool Scenario::CanRun(ModelId asked, UnitId unit, std::int64_t batch) const {
  return MayHold(asked, unit) && Time(asked, unit, batch);
}

std::string WhyCannotRun(const Scenario& scenario, const Stream& stream, UnitId unit) {
  const std::string name = "unit " + Quoted(scenario.platform->unit(unit).name);
  const ScenarioModel& model = scenario.model(stream.model);
  if (!scenario.MayHold(stream.model, unit)) {
    return name + " does not hold model " + Quoted(model.name) + ", as \"resident\" says";
  }
  const auto query = scenario.Query(stream.model, unit, stream.batch);
  return query ? scenario.costs->WhyNot(*query) : name + " has no time for any model of the scenario";
}

bool SomeUnitRuns(const Scenario& scenario, const Stream& stream) {
  for (std::size_t i = 0; i < scenario.units.size(); ++i) {
    if (scenario.CanRun(stream.model, UnitId(i), stream.batch)) return true;
  }
  return false;
}

namespace {

void CountTimesAlone(Scenario& scenario) {
  scenario.alone.clear();
  std::map<std::pair<ModelId, std::int64_t>, std::optional<Nanos>> known;  // many streams ask for the same
  for (const Stream& stream : scenario.streams) {
    const auto [found, is_new] = known.try_emplace({stream.model, stream.batch});
    std::optional<Nanos>& least = found->second;
    for (std::size_t i = 0; is_new && i < scenario.units.size(); ++i) {
      const UnitId unit(i);
      const auto cost = scenario.MayHold(stream.model, unit) ? scenario.Time(stream.model, unit, stream.batch)
                                                             : std::nullopt;
      if (!cost) continue;
      const Nanos time = cost->time + scenario.costs->Dispatch(unit);
      if (!least || time < *least) least = time;
    }
    scenario.alone.push_back(least);
  }
}

}  // namespace

void SetTimesAlone(const JsonReader&, Scenario& scenario, Context) {
  if (scenario.costs) CountTimesAlone(scenario);
}

void SetVariant(UnitId unit, const Variant& variant, Scenario& scenario) {
  scenario.units[unit.index()].variant = variant;
  scenario.platform->units[unit.index()].state = variant.name;
  scenario.variants_were_set = true;
  CountTimesAlone(scenario);
}

CodecOf<std::vector<Profile>> ProfilesOfScenario() {
  const auto list = as::ListOf(ProfileOfScenario());
  return as::ReadOnly<std::vector<Profile>>(
      [list](SchemaDefs& defs) { return list->Schema(defs); },
      [list](const JsonReader& value, std::vector<Profile>& into, Context context) {
        const NamedProfiles wanted = context.As<ScenarioOptions>().profiles;
        if (wanted == NamedProfiles::kNone) return;
        if (wanted == NamedProfiles::kIfThere && !AllAreThere(value)) return;
        list->Read(value, into, context);
      });
}

void AddCosts(const JsonReader& root, Scenario& scenario, Context) {
  if (!scenario.platform || scenario.profiles.empty()) return;
  const JsonReader profiles = root.Get("profiles");
  SettleProfiles(profiles, scenario);
  scenario.costs = BuildCosts(profiles, scenario);
  TellUnknownStates(root.Get("platform"), scenario);
}

CodecOf<NamedVariants> VariantsOfScenario() {
  return as::PerUnit(as::ReadOnly<std::optional<Variant>>(
      [](SchemaDefs& defs) { return as::Text()->Schema(defs); }, ReadVariant));
}

void AddVariants(Scenario& scenario, NamedVariants variants) {
  for (std::size_t u = 0; u < variants.size(); ++u) scenario.units[u].variant = variants[u];
}

void ChooseVariants(const JsonReader&, Scenario& scenario, Context) {
  if (!scenario.costs) return;
  const std::vector<CostTable::Wanted> wanted = Wanted(scenario);
  for (std::size_t i = 0; i < scenario.units.size(); ++i) {
    if (scenario.units[i].variant || scenario.costs->Variants(UnitId(i)).empty()) continue;
    scenario.units[i].variant = scenario.costs->DefaultVariant(UnitId(i), wanted);
  }
  for (std::size_t i = 0; i < scenario.units.size(); ++i) {
    if (const auto& variant = scenario.units[i].variant) scenario.platform->units[i].state = variant->name;
  }
}

void CheckRunnable(const JsonReader& root, const Scenario& scenario, Context) {
  if (!scenario.costs) return;
  std::size_t position = 0;
  for (const JsonReader value : root.Get("streams").Elements()) {
    const Stream& stream = scenario.streams[position++];
    const bool alone = SomeUnitRuns(scenario, stream);
    if (alone && EndsByTheClock(stream) && !TakesTime(scenario, stream)) {
      value.Fail(
          "a request takes no time on any unit, so that the stream's duration never passes; give it a "
          "\"count\"");
    }
    if (alone || UnitsTogetherRun(scenario, stream)) continue;
    value.Get("model").Fail("no unit can run model " + Quoted(scenario.model(stream.model).name) + ": " +
                            WhatUnitsLack(scenario, stream) +
                            WhatProfilesHave(scenario.profiles, WantedOf(scenario.model(stream.model))));
  }
  CheckPaths(root, scenario);
}

const Stream* FirstBatching(const Scenario& scenario) {
  const auto found = std::find_if(scenario.streams.begin(), scenario.streams.end(),
                                  [](const Stream& stream) { return stream.batching.has_value(); });
  return found == scenario.streams.end() ? nullptr : &*found;
}

bool HasCritical(const Scenario& scenario) {
  return std::ranges::any_of(scenario.streams, &Stream::critical);
}

}  // namespace tandem
