#include "scenarios/scenario/measured_room.h"

#include <algorithm>
#include <optional>

#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/model/model.h"

namespace tandem {
namespace {

struct Bytes {
  std::int64_t held = 0, beside = 0;  // as long as it is there; beside that at most
  std::int64_t Most() const { return held + beside; }
};

struct TakenByModel {
  ModelId model;
  Bytes most, least;
  std::int64_t weights = 0;
  bool measured = false;
};

struct TakenByUnit {
  RoomOfUnit room;
  Bytes least;  // beside: of the one whose making ready takes most
};

std::int64_t LargestBatch(const Scenario& scenario, ModelId model) {
  std::int64_t largest = 1;
  for (const Stream& stream : scenario.streams) {
    if (stream.model == model)
      largest = std::max(largest, stream.batching ? stream.batching->most : stream.batch);
  }
  return largest;
}

// What was measured in the largest batch up to what the scenario asks for, and whether it was.
struct Entry {
  const MemoryEntry* memory = nullptr;
  bool estimated = false;
};
Entry EntryOf(const Scenario& scenario, ModelId model, UnitId unit) {
  Entry found;
  const std::int64_t largest = LargestBatch(scenario, model);
  for (const Profile& profile : scenario.profiles) {
    for (const MemoryEntry& entry : profile.memory) {
      if (entry.unit != scenario.platform->unit(unit).name ||
          entry.variant != scenario.units[unit.index()].variant || entry.batch > largest ||
          ModelKey(entry.model, profile.file) != scenario.model(model).key)
        continue;
      if (found.memory == nullptr || entry.batch > found.memory->batch)
        found = {&entry, profile.origin.kind == OriginKind::kEstimated};
    }
  }
  return found;
}

std::int64_t WeightsOn(const Scenario& scenario, ModelId model, UnitId unit) {
  const auto& variant = scenario.units[unit.index()].variant;
  return scenario.model(model).model->BytesOfWeights() / BytesOfPrecision("fp32") *
         BytesOfPrecision(variant ? variant->precision : "fp32");
}

// Weights, and what the layer reads and makes that reads and makes most; beside that the weights as they are
// read from a file, until the unit has made its own of them.
Bytes Estimated(const Scenario& scenario, ModelId model, std::int64_t weights) {
  const Model& of = *scenario.model(model).model;
  std::int64_t widest = 0;
  for (std::size_t l = 0; l < of.size(); ++l)
    widest = std::max(widest, of.BytesIn(LayerId(l)) + of.BytesOut(LayerId(l)));
  return {weights + widest * LargestBatch(scenario, model), of.BytesOfWeights()};
}

TakenByModel TakenBy(const Scenario& scenario, ModelId model, UnitId unit) {
  TakenByModel taken{model, {}, {}, WeightsOn(scenario, model, unit)};
  const Entry entry = EntryOf(scenario, model, unit);
  taken.measured = entry.memory != nullptr && !entry.estimated;
  taken.most = entry.memory
                   ? Bytes{entry.memory->held_bytes, entry.memory->peak_bytes - entry.memory->held_bytes}
                   : Estimated(scenario, model, taken.weights);
  taken.least = taken.measured ? taken.most : Bytes{taken.weights, 0};
  return taken;
}

bool Runs(const Scenario& scenario, ModelId model, UnitId unit) {
  return std::ranges::any_of(scenario.streams, [&](const Stream& stream) {
    return stream.model == model && scenario.CanRun(model, unit, stream.batching ? 1 : stream.batch);
  });
}

// Can it be had back where the unit has put it out, or had elsewhere?
bool MayBePutOut(const Scenario& scenario, ModelId model, UnitId unit) {
  if (scenario.costs->Loads(model, unit)) return true;
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    if (UnitId(u) != unit && Runs(scenario, model, UnitId(u))) return true;
  }
  return false;
}

std::optional<std::int64_t> HeldAtOnce(const Scenario& scenario, UnitId unit) {
  const auto& limit = scenario.platform->unit(unit).resident_models;
  const auto& named = scenario.units[unit.index()].resident;
  if (limit || !named) return limit;
  return std::max<std::int64_t>(std::ssize(*named), 1);
}

std::int64_t WeightsOf(const std::vector<TakenByModel>& models) {
  std::int64_t weights = 0;
  for (const TakenByModel& model : models) weights += model.weights;
  return weights;
}

// What may be there at once when `first` is: those that take most of the others.
struct Limits {
  std::optional<std::int64_t> models, weights;
};
std::vector<const TakenByModel*> SetWith(const Scenario& scenario, UnitId unit, const TakenByModel& first,
                                         const std::vector<TakenByModel>& by_held, const Limits& limits) {
  std::vector<const TakenByModel*> set = {&first};
  std::int64_t weights = first.weights;
  for (const TakenByModel& other : by_held) {
    if (&other == &first || !scenario.costs->on_chip().MayShare(unit, first.model, other.model)) continue;
    if (limits.models && std::ssize(set) >= *limits.models) break;
    if (limits.weights && weights + other.weights > *limits.weights) continue;
    weights += other.weights;
    set.push_back(&other);
  }
  return set;
}

// `left`: what the weights of units before it leave of the memory.
TakenByUnit TakenOn(const Scenario& scenario, UnitId unit, std::vector<TakenByModel> models,
                    std::int64_t left) {
  TakenByUnit taken;
  taken.room.unit = scenario.platform->unit(unit).name;
  taken.room.models = std::ssize(models);
  Limits limits{HeldAtOnce(scenario, unit), std::nullopt};
  taken.room.in_turns =
      !limits.models && WeightsOf(models) > left && std::ranges::all_of(models, [&](const TakenByModel& of) {
        return MayBePutOut(scenario, of.model, unit);
      });
  if (taken.room.in_turns) limits.weights = left;
  const auto most_of = [](const std::vector<const TakenByModel*>& set, Bytes TakenByModel::*bytes) {
    Bytes sum{0, (set.front()->*bytes).beside};  // the first is the one that runs
    for (const TakenByModel* model : set) sum.held += (model->*bytes).held;
    return sum;
  };
  const auto by_held = [](Bytes TakenByModel::*bytes) {
    return
        [bytes](const TakenByModel& a, const TakenByModel& b) { return (a.*bytes).held > (b.*bytes).held; };
  };
  std::ranges::stable_sort(models, by_held(&TakenByModel::most));
  for (const TakenByModel& first : models) {
    const auto set = SetWith(scenario, unit, first, models, limits);
    const std::int64_t needed = most_of(set, &TakenByModel::most).Most();
    if (needed <= taken.room.needed_bytes) continue;
    taken.room.needed_bytes = needed;
    taken.room.at_once = std::ssize(set);
  }
  std::ranges::stable_sort(models, by_held(&TakenByModel::least));
  for (const TakenByModel& first : models) {
    const Bytes least = most_of(SetWith(scenario, unit, first, models, limits), &TakenByModel::least);
    if (least.Most() > taken.least.Most()) taken.least = least;
  }
  return taken;
}

MeasuredRoom RoomOf(const Scenario& scenario, MemoryId id) {
  const Memory& memory = scenario.platform->memories[id.index()];
  MeasuredRoom room{memory.name, *memory.capacity_bytes};
  std::int64_t left = room.capacity_bytes, beside = 0;
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const UnitId unit(u);
    if (scenario.platform->unit(unit).memory != id) continue;
    std::vector<TakenByModel> models;
    for (const ModelId model : ModelsOn(scenario, unit)) {
      models.push_back(TakenBy(scenario, model, unit));
      room.measured = room.measured || models.back().measured;
      if (!models.back().measured)
        room.estimated.push_back(scenario.model(model).name + " on " + scenario.platform->unit(unit).name);
    }
    if (models.empty()) continue;
    const std::int64_t weights = WeightsOf(models);
    const TakenByUnit taken = TakenOn(scenario, unit, std::move(models), left);
    left = std::max<std::int64_t>(left - weights, 0);
    room.needed_bytes += taken.room.needed_bytes;
    room.least_bytes += taken.least.held;
    beside = std::max(beside, taken.least.beside);
    room.units.push_back(taken.room);
  }
  room.least_bytes += beside;
  return room;
}

std::string WhatHelps(const MeasuredRoom& room) {
  const RoomOfUnit& most = *std::ranges::max_element(room.units, {}, &RoomOfUnit::needed_bytes);
  std::string text;
  if (room.units.size() > 1) text = ", " + Grouped(most.needed_bytes) + " of it on unit " + Quoted(most.unit);
  const bool fewer = most.at_once > 1 && !most.in_turns;
  if (fewer) {
    text += "; let unit " + Quoted(most.unit) + " hold fewer than " + std::to_string(most.at_once) +
            " models at once (\"resident_models\")";
  }
  return text + (fewer ? ", " : "; ") + "run some on units of another memory, or take smaller ones";
}

}  // namespace

std::vector<ModelId> ModelsOn(const Scenario& scenario, UnitId unit) {
  std::vector<ModelId> models;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    if (Runs(scenario, ModelId(m), unit)) models.emplace_back(m);
  }
  return models;
}

std::vector<MeasuredRoom> MeasuredRooms(const Scenario& scenario) {
  std::vector<MeasuredRoom> rooms;
  if (!scenario.costs) return rooms;
  for (std::size_t m = 0; m < scenario.platform->memories.size(); ++m) {
    if (!scenario.platform->memories[m].capacity_bytes) continue;
    MeasuredRoom room = RoomOf(scenario, MemoryId(m));
    if (!room.units.empty()) rooms.push_back(std::move(room));
  }
  return rooms;
}

std::vector<MeasuredRoom> RoomsInDoubt(const Scenario& scenario) {
  std::vector<MeasuredRoom> rooms = MeasuredRooms(scenario);
  std::erase_if(rooms, [](const MeasuredRoom& room) { return room.Fits(); });
  return rooms;
}

std::string RoomSentence(const MeasuredRoom& room) {
  const bool measured = room.estimated.empty();
  std::string text =
      "memory " + Quoted(room.memory) + ": what its units hold takes " + (measured ? "at most " : "about ") +
      Grouped(room.needed_bytes) + " of " + Grouped(room.capacity_bytes) + " bytes, " +
      (measured ? "as measured" : "an estimate, since nobody measured " + Joined(room.estimated));
  if (room.CannotFit() && !measured) text += "; " + Grouped(room.least_bytes) + " in any case";
  if (room.CannotFit()) text += ": it does not fit";
  if (!room.CannotFit() && !room.Fits()) text += ": it may not fit";
  if (!room.Fits()) text += WhatHelps(room);
  for (const RoomOfUnit& unit : room.units) {
    if (!unit.in_turns) continue;
    text += "; unit " + Quoted(unit.unit) + " has no room for the weights of its " +
            Counted(unit.models, "model") + ": it holds what the policy chooses";
  }
  return text;
}

std::string RoomsInDoubtText(const Scenario& scenario, std::size_t width) {
  std::string text;
  for (const MeasuredRoom& room : RoomsInDoubt(scenario)) text += Wrapped(RoomSentence(room), width);
  return text;
}

const Fields<MeasuredRoom>& MeasuredRoomFields() {
  using R = MeasuredRoom;
  using U = RoomOfUnit;
  const auto bytes = as::Integer(0, INT64_MAX);
  static const auto of_unit =
      Fields<U>("room_of_unit", "What a unit takes of its memory at most.")
          .Needed("unit", &U::unit, as::Name())
          .Needed("models", &U::models, as::Integer(1, INT64_MAX), "That it may run.")
          .Needed("at_once", &U::at_once, as::Integer(0, INT64_MAX), "Of those it may hold so many.")
          .Needed("in_turns", &U::in_turns, as::Boolean(),
                  "Their weights alone leave no room for all: it holds what the policy chooses.")
          .Needed("needed_bytes", &U::needed_bytes, bytes);
  static const auto fields =
      Fields<R>("measured_room", "What models take of a memory, and whether it fits.")
          .Needed("memory", &R::memory, as::Name())
          .Needed("capacity_bytes", &R::capacity_bytes, bytes)
          .Needed(
              "needed_bytes", &R::needed_bytes, bytes,
              "At most: what units hold at once, and what one model of each takes beside while it is made "
              "ready or runs.")
          .Needed(
              "least_bytes", &R::least_bytes, bytes,
              "In any case: of what nobody measured the weights alone, and one model at a time made ready.")
          .Says("fits", as::Boolean(), [](const R& room) { return room.Fits(); })
          .Says("cannot_fit", as::Boolean(), [](const R& room) { return room.CannotFit(); })
          .Needed("not_known_of", &R::estimated, as::ListOf(as::Text()),
                  "\"MODEL on UNIT\" that no profile measured, so that what it takes is an estimate.")
          .Needed("units", &R::units, as::ListOf(as::ObjectOf(of_unit)));
  return fields;
}

}  // namespace tandem
