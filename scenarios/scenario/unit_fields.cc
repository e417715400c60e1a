#include <algorithm>
#include <set>

#include "profiles/base/files.h"
#include "profiles/costs/fields.h"
#include "profiles/program/shipped.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

void ReadPlatformWish(const JsonReader& value, std::optional<Platform>& into, Context context) {
  if (value.IsObject()) {
    into = ReadPlatform(value);
  } else if (value.String() == kDevicePlatform) {
    into = context.As<ScenarioOptions>().device;
  } else {
    into = Within(value, [&] {
      return ReadPlatformFile(FindFile(value.Name(), value.file(), "boards", ".platform.json"));
    });
  }
}

void LoadOrCommand(const JsonReader& value, const Background&, Context) {
  if (!value.Find("command")) {
    (void)value.Get("unit");
    (void)value.Get("load_pct");
    return;
  }
  if (const auto unit = value.Find("unit")) unit->Fail("a command is no load of a unit: an entry of its own");
  if (const auto load = value.Find("load_pct")) load->Fail("what a command loads is measured, not stated");
}

const Fields<Background>& BackgroundFields() {
  using B = Background;
  static const auto fields =
      Fields<B>("background")
          .Rule(
              LoadOrCommand,
              R"({"oneOf": [{"required": ["unit", "load_pct"]}, {"required": ["command"]}],)"
              R"( "not": {"anyOf": [{"required": ["unit", "command"]}, {"required": ["load_pct", "command"]}]}})")
          .Optional("unit", &B::unit, as::UnitNamed())
          .Optional("load_pct", &B::load_pct, as::Integer(0, 99), "So much of the unit is taken by others.")
          .Default({})
          .Optional("command", &B::command,
                    as::Command("a word of a command holds no zero byte", "a command starts with a program"),
                    "A program that is started before the run and stopped after it.");
  return fields;
}

constexpr double kLeastSpeed = 0.001, kMostSpeed = 10;

const Fields<UnitSpeed>& SpeedFields() {
  using S = UnitSpeed;
  static const auto fields =
      Fields<S>("unit_speed")
          .Needed("unit", &S::unit, as::UnitNamed())
          .Optional("at_us", &S::at, as::Micros(), "From then on, until the unit's next one.")
          .Always()
          .Needed("speed", &S::speed, as::Number(kLeastSpeed, kMostSpeed),
                  "Of its full speed, which it has before the first.");
  return fields;
}

void ComesBackLater(const JsonReader& value, const UnitAbsence& absence, Context) {
  if (!absence.until || *absence.until > absence.from) return;
  value.Fail("a unit comes back after it has left: \"until\" is not later than \"from\"");
}

const Fields<UnitAbsence>& AbsenceFields() {
  using A = UnitAbsence;
  static const auto fields =
      Fields<A>("unit_absence")
          .Needed("unit", &A::unit, as::UnitNamed())
          .Needed("from_us", &A::from, as::Micros())
          .Optional("until_us", &A::until, as::Micros(), "From then on it is back; absent: it stays away.")
          .Rule(ComesBackLater);
  return fields;
}

// Of the units that can run anything of the stream's model the last to leave for good; null: one is there or
// comes back.
const UnitAbsence* LastToLeave(const Scenario& scenario, const Stream& stream) {
  const UnitAbsence* last = nullptr;
  for (const CostTable::Measured& entry : scenario.Entries(stream.model, stream.batch)) {
    if (!scenario.MayHold(stream.model, entry.unit)) continue;
    const auto gone = std::ranges::find_if(scenario.away, [&](const UnitAbsence& absence) {
      return absence.unit == entry.unit && !absence.until;
    });
    if (gone == scenario.away.end()) return nullptr;
    if (last == nullptr || gone->from > last->from) last = &*gone;
  }
  return last;
}

// Whatever the seed and however fast anything runs.
bool SurelyComesFrom(Nanos date, const Stream& stream) {
  if (std::holds_alternative<OfflineArrival>(stream.arrival)) return date <= Nanos{0};
  const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival);
  const bool fixed = periodic != nullptr ? periodic->jitter == Nanos{0}
                                         : std::holds_alternative<TraceArrival>(stream.arrival);
  if (!fixed) return false;
  ReleaseTimes times(stream, 0);
  auto next = times.Next();
  while (next && *next < date) next = times.Next();
  return next.has_value();
}

}  // namespace

CodecOf<std::vector<UnitSpeed>> SpeedsOfScenario() { return as::ListOf(as::ObjectOf(SpeedFields())); }

void CheckSpeeds(const JsonReader& root, const Scenario& scenario, Context) {
  const auto speeds = root.Find("speeds");
  if (!speeds || !scenario.platform) return;
  std::vector<std::optional<Nanos>> last(scenario.platform->units.size());
  std::size_t position = 0;
  for (const JsonReader element : speeds->Elements()) {
    if (position == scenario.speeds.size()) return;
    const UnitSpeed& speed = scenario.speeds[position++];
    if (!speed.unit.valid()) continue;
    if (auto& before = last[speed.unit.index()]; before && *before >= speed.at)
      element.Fail(
          "a unit's speeds stand in the order of their dates: this one is not later than the one before it");
    last[speed.unit.index()] = speed.at;
  }
}

CodecOf<std::vector<UnitAbsence>> AwayOfScenario() { return as::ListOf(as::ObjectOf(AbsenceFields())); }

void CheckAway(const JsonReader& root, const Scenario& scenario, Context) {
  const auto away = root.Find("away");
  if (!away || !scenario.platform) return;
  std::vector<const UnitAbsence*> last(scenario.platform->units.size());
  std::size_t position = 0;
  for (const JsonReader element : away->Elements()) {
    if (position == scenario.away.size()) return;
    const UnitAbsence& absence = scenario.away[position++];
    if (!absence.unit.valid()) continue;
    const UnitAbsence* const before = std::exchange(last[absence.unit.index()], &absence);
    if (before != nullptr && (!before->until || *before->until >= absence.from))
      element.Fail("the unit is not back yet by then from where it was before");
  }
}

// What is dropped waits for nobody; batches may run where one request alone cannot.
void CheckSomeoneStays(const JsonReader& root, const Scenario& scenario, Context) {
  if (!scenario.costs || scenario.away.empty()) return;
  for (const Stream& stream : scenario.streams) {
    if (stream.Drops() || stream.batching) continue;
    const UnitAbsence* const last = LastToLeave(scenario, stream);
    if (last == nullptr || !SurelyComesFrom(last->from, stream)) continue;
    std::size_t left = static_cast<std::size_t>(last - scenario.away.data());
    for (const JsonReader element : root.Get("away").Elements()) {
      if (left-- > 0) continue;
      element.Fail("requests of stream " + Quoted(stream.name) + " that come once unit " +
                   Quoted(scenario.platform->unit(last->unit).name) +
                   " has left can run nowhere and would wait for ever; say when it is back, as in "
                   "\"until_ms\", or let the stream end before");
    }
  }
}

CodecOf<std::optional<Platform>> PlatformOfScenario() {
  return as::ReadOnly<std::optional<Platform>>(
      [](SchemaDefs& defs) {
        return as::AnyOfSchema({as::Name()->Schema(defs), PlatformFields().Schema(defs)});
      },
      ReadPlatformWish);
}

CodecOf<CompiledTogether> CompiledOfScenario() {
  return as::PerUnit(as::ListOf(as::ListOf(as::ModelNamed(), {.twice = "model * is there twice"})));
}

void AddCompiled(Scenario& scenario, CompiledTogether compiled) {
  for (std::size_t u = 0; u < compiled.size(); ++u) scenario.units[u].compiled = std::move(compiled[u]);
}

CompiledTogether CompiledBy(const Scenario& scenario) {
  CompiledTogether together;
  for (const UnitUse& unit : scenario.units) together.push_back(unit.compiled);
  return together;
}

void CheckCompiled(const JsonReader& root, const Scenario& scenario, Context) {
  const auto compiled = root.Find("co_compiled");
  if (!compiled || !scenario.platform) return;
  for (const JsonReader member : compiled->Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    if (!scenario.platform->unit(unit).on_chip_bytes)
      member.Fail("unit " + Quoted(member.key()) +
                  " has no memory on its chip that models could share: its platform says it by "
                  "\"on_chip_bytes\" and \"stream_bytes_per_s\"");
    std::set<std::string_view> before;
    for (const JsonReader list : member.Elements()) {
      for (const JsonReader model : list.Elements()) {
        if (before.insert(model.String()).second) continue;
        model.Fail("model " + Quoted(model.String()) + " is compiled for unit " + Quoted(member.key()) +
                   " already, in a list before");
      }
    }
  }
}

CodecOf<HeldModels> ResidentsOfScenario() {
  return as::PerUnit(as::Maybe(as::ListOf(as::ModelNamed(), {.twice = "model * is there twice"})));
}

void AddResidents(Scenario& scenario, HeldModels residents) {
  for (std::size_t u = 0; u < residents.size(); ++u) scenario.units[u].resident = std::move(residents[u]);
}

namespace {

// Those that a unit with such a memory holds at once are compiled together.
void CheckAreOnOneChip(const JsonReader& held, const Scenario& scenario, UnitId unit) {
  const auto& resident = scenario.units[unit.index()].resident;
  if (!scenario.platform->unit(unit).on_chip_bytes || !resident || resident->empty()) return;
  const OnChip chips(*scenario.platform, {}, CompiledBy(scenario));
  for (const ModelId model : *resident) {
    if (chips.MayShare(unit, resident->front(), model)) continue;
    held.Fail("models " + Quoted(scenario.model(resident->front()).name) + " and " +
              Quoted(scenario.model(model).name) + " put each other out of the chip of unit " +
              Quoted(held.key()) + "; compiled together they share it, as \"co_compiled\" says");
  }
}

}  // namespace

void CheckResidents(const JsonReader& root, const Scenario& scenario, Context) {
  const auto residents = root.Find("resident");
  if (!residents || !scenario.platform) return;
  for (const JsonReader member : residents->Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    CheckAreOnOneChip(member, scenario, unit);
    const auto limit = scenario.platform->unit(unit).resident_models;
    const auto models = static_cast<std::int64_t>(member.size());
    if (!limit || models <= *limit) continue;
    member.Fail("unit " + Quoted(member.key()) + " holds " + std::to_string(*limit) + " model" +
                (*limit == 1 ? "" : "s") + ", here are " + std::to_string(models));
  }
}

CodecOf<std::vector<Background>> BackgroundOfScenario() {
  return as::ListOf(as::ObjectOf(BackgroundFields()));
}

void AddBackground(Scenario& scenario, std::vector<Background> background) {
  for (Background& each : background) {
    if (!each.command.empty()) {
      scenario.programs.push_back(std::move(each.command));
    } else if (each.unit.valid()) {
      scenario.loads.push_back({each.unit, each.load_pct});
    }
  }
}

void CheckUnitsOnce(const JsonReader& root, std::string_view key, const Scenario& scenario,
                    const std::string& before, const std::string& behind) {
  const auto list = root.Find(key);
  if (!list || !scenario.platform) return;
  std::set<std::string_view> units;
  for (const JsonReader element : list->Elements()) {
    const auto unit = element.Find("unit");
    if (!unit || units.insert(unit->String()).second) continue;
    unit->Fail(before + Quoted(unit->String()) + behind);
  }
}

void CheckLoads(const JsonReader& root, const Scenario& scenario, Context) {
  CheckUnitsOnce(root, "background", scenario, "unit ", " has a load already");
}

}  // namespace tandem
