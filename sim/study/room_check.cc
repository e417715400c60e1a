#include "sim/study/room_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "scenarios/scenario/measured_room.h"

namespace tandem {
namespace {

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

}  // namespace

std::string RoomText(const Scenario& scenario, std::size_t width) {
  std::string text;
  for (std::size_t u = 0; scenario.costs && u < scenario.units.size(); ++u) {
    if (!scenario.costs->on_chip().Has(UnitId(u)) || !scenario.units[u].variant) continue;
    for (const ModelId model : ModelsOn(scenario, UnitId(u))) {
      const std::string line = ChipText(scenario, UnitId(u), model);
      if (!line.empty()) text += Wrapped(line, width);
    }
  }
  for (const MeasuredRoom& room : MeasuredRooms(scenario)) {
    const bool in_turns = std::ranges::any_of(room.units, &RoomOfUnit::in_turns);
    if (room.measured || in_turns || !room.Fits()) text += Wrapped(RoomSentence(room), width);
  }
  return text;
}

nlohmann::ordered_json RoomJson(const Scenario& scenario) {
  auto json = nlohmann::ordered_json::array();
  for (const MeasuredRoom& room : MeasuredRooms(scenario))
    json.push_back(nlohmann::ordered_json::parse(MeasuredRoomFields().Text(room)));
  return json;
}

}  // namespace tandem
