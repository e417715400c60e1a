#include "tests/support/small_scenario.h"

#include "profiles/model/model_builder.h"

namespace tandem {

SmallScenario::SmallScenario(const std::vector<std::int64_t>& slots) {
  scenario_.file = scenario_.name = "small";
  scenario_.transfer = TransferMode::kNone;
  Platform board;
  board.name = profile_.platform = profile_.file = "small";
  board.memories.push_back({"dram", std::nullopt, std::nullopt});
  for (std::size_t u = 0; u < slots.size(); ++u) {
    Unit unit;
    unit.name = "u" + std::to_string(u);
    unit.memory = MemoryId(0);
    unit.slots = slots[u];
    board.units.push_back(unit);
  }
  scenario_.units.resize(slots.size());
  scenario_.platform = std::move(board);
}

ModelId SmallScenario::AddModel(const std::vector<std::vector<std::int64_t>>& times_us, const Shape& input) {
  const std::string name = "m" + std::to_string(scenario_.models.size());
  ModelBuilder builder(name);
  builder.Input("in", input);
  for (std::size_t l = 0; l < times_us.size(); ++l) {
    const std::string layer = builder.Relu("l" + std::to_string(l));
    for (std::size_t u = 0; u < times_us[l].size(); ++u) {
      if (times_us[l][u] == kCannot) continue;
      CostEntry entry;
      entry.model = name;
      entry.unit = scenario_.platform->units[u].name;
      entry.layers = {layer};
      entry.time.median = std::chrono::microseconds{times_us[l][u]};
      profile_.entries.push_back(entry);
    }
  }
  scenario_.models.push_back(
      {name, ModelKey(name, profile_.file), std::make_shared<const Model>(builder.Build())});
  return ModelId(scenario_.models.size() - 1);
}

Stream& SmallScenario::AddStream(ModelId model, std::int64_t count, const Arrival& arrival) {
  Stream stream;
  stream.name = "s" + std::to_string(scenario_.streams.size());
  stream.model = model;
  stream.arrival = arrival;
  stream.until.count = count;
  scenario_.streams.push_back(stream);
  return scenario_.streams.back();
}

Scenario SmallScenario::Build() {
  scenario_.profiles.push_back(std::move(profile_));
  std::vector<CostTable::ModelRef> models;
  for (const ScenarioModel& model : scenario_.models) models.push_back({model.key, model.model.get()});
  scenario_.costs.emplace(*scenario_.platform, std::vector<const Profile*>{&scenario_.profiles[0]}, models);
  for (std::size_t u = 0; u < scenario_.units.size(); ++u) {
    const auto& variants = scenario_.costs->Variants(UnitId(u));
    if (!variants.empty()) scenario_.units[u].variant = variants[0];
  }
  return std::move(scenario_);
}

}  // namespace tandem
