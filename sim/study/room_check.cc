#include "sim/study/room_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

// In the largest batch that the scenario asks for of those that were measured.
const MemoryEntry* EntryOf(const Scenario& scenario, ModelId model, UnitId unit) {
  const MemoryEntry* found = nullptr;
  for (const Profile& profile : scenario.profiles) {
    for (const MemoryEntry& entry : profile.memory) {
      if (entry.unit != scenario.platform->unit(unit).name ||
          entry.variant != scenario.units[unit.index()].variant ||
          ModelKey(entry.model, profile.file) != scenario.model(model).key)
        continue;
      const auto asks = [&](const Stream& stream) {
        const std::int64_t most = stream.batching ? stream.batching->most : stream.batch;
        return stream.model == model && entry.batch <= most;
      };
      if (std::ranges::none_of(scenario.streams, asks)) continue;
      if (found == nullptr || entry.batch > found->batch) found = &entry;
    }
  }
  return found;
}

// Those that the unit runs and may hold.
std::vector<ModelId> ModelsOn(const Scenario& scenario, UnitId unit) {
  std::vector<ModelId> models;
  const auto& named = scenario.units[unit.index()].resident;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    const bool holds = !named || std::ranges::find(*named, ModelId(m)) != named->end();
    const bool runs = std::ranges::any_of(scenario.streams, [&](const Stream& stream) {
      return stream.model == ModelId(m) && !stream.batching &&
             scenario.CanRun(ModelId(m), unit, stream.batch);
    });
    const bool in_batches = std::ranges::any_of(scenario.streams, [&](const Stream& stream) {
      return stream.model == ModelId(m) && stream.batching && scenario.CanRun(ModelId(m), unit, 1);
    });
    if (holds && (runs || in_batches)) models.emplace_back(m);
  }
  return models;
}

void AddUnit(const Scenario& scenario, UnitId unit, MeasuredRoom& room) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // held, and beyond that at most
  for (const ModelId model : ModelsOn(scenario, unit)) {
    if (const MemoryEntry* entry = EntryOf(scenario, model, unit)) {
      taken.emplace_back(entry->held_bytes, entry->peak_bytes - entry->held_bytes);
    } else {
      room.unknown.push_back(scenario.model(model).name + " on " + scenario.platform->unit(unit).name);
    }
  }
  std::ranges::sort(taken, std::greater());
  const auto& limit = scenario.platform->unit(unit).resident_models;
  if (limit && static_cast<std::int64_t>(taken.size()) > *limit)
    taken.resize(static_cast<std::size_t>(*limit));
  std::int64_t beside = 0;
  for (const auto& [held, more] : taken) {
    room.needed_bytes += held;
    beside = std::max(beside, more);
  }
  room.needed_bytes += beside;
}

std::string ChipText(const Scenario& scenario, UnitId unit, ModelId model) {
  const OnChip& chips = scenario.costs->on_chip();
  const Variant& variant = *scenario.units[unit.index()].variant;
  const std::int64_t streamed = chips.BytesStreamed(model, unit, variant);
  if (streamed == 0) return "";
  const Nanos longer = chips.MoreTime(model, unit, variant, {});
  return "unit " + Quoted(scenario.platform->unit(unit).name) + ": " +
         Grouped(chips.BytesThatStay(model, unit, variant)) + " bytes of model " +
         Quoted(scenario.model(model).name) + " stay on its chip, " + Grouped(streamed) +
         " come with each task" +
         (longer > Nanos{0} ? ", which takes " + JsonNumber(InMillis(longer)) + " ms longer than alone" : "");
}

std::string MemoryText(const MeasuredRoom& room) {
  std::string text = "memory " + Quoted(room.memory) + ": what its units hold takes at most " +
                     Grouped(room.needed_bytes) + " of " + Grouped(room.capacity_bytes) +
                     " bytes, as measured" + (room.Fits() ? "" : ": it does not fit");
  if (!room.unknown.empty()) text += "; not known of " + Joined(room.unknown);
  return text;
}

}  // namespace

std::vector<MeasuredRoom> MeasuredRooms(const Scenario& scenario) {
  std::vector<MeasuredRoom> rooms;
  const auto knows = [](const Profile& profile) { return !profile.memory.empty(); };
  if (!scenario.costs || std::ranges::none_of(scenario.profiles, knows)) return rooms;
  for (std::size_t m = 0; m < scenario.platform->memories.size(); ++m) {
    const Memory& memory = scenario.platform->memories[m];
    if (!memory.capacity_bytes) continue;
    MeasuredRoom room{memory.name, *memory.capacity_bytes};
    for (std::size_t u = 0; u < scenario.units.size(); ++u) {
      if (scenario.platform->units[u].memory == MemoryId(m)) AddUnit(scenario, UnitId(u), room);
    }
    if (room.needed_bytes > 0) rooms.push_back(std::move(room));
  }
  return rooms;
}

std::string RoomText(const Scenario& scenario, std::size_t width) {
  std::string text;
  for (std::size_t u = 0; scenario.costs && u < scenario.units.size(); ++u) {
    if (!scenario.costs->on_chip().Has(UnitId(u)) || !scenario.units[u].variant) continue;
    for (const ModelId model : ModelsOn(scenario, UnitId(u))) {
      const std::string line = ChipText(scenario, UnitId(u), model);
      if (!line.empty()) text += Wrapped(line, width);
    }
  }
  for (const MeasuredRoom& room : MeasuredRooms(scenario)) text += Wrapped(MemoryText(room), width);
  return text;
}

nlohmann::ordered_json RoomJson(const Scenario& scenario) {
  auto json = nlohmann::ordered_json::array();
  for (const MeasuredRoom& room : MeasuredRooms(scenario)) {
    json.push_back({{"memory", room.memory},
                    {"capacity_bytes", room.capacity_bytes},
                    {"needed_bytes", room.needed_bytes},
                    {"fits", room.Fits()},
                    {"not_known_of", room.unknown}});
  }
  return json;
}

}  // namespace tandem
