#include "profiles/costs/on_chip.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem {

OnChip::OnChip(const Platform& platform, const std::vector<const Model*>& models, CompiledTogether together) {
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    Chip chip;
    chip.bytes = platform.units[u].on_chip_bytes.value_or(-1);
    chip.rate = platform.units[u].stream_bytes_per_s.value_or(0);
    if (u < together.size()) chip.together = std::move(together[u]);
    chips_.push_back(std::move(chip));
  }
  for (const Model* model : models) {
    std::vector<std::int64_t>& before = elements_before_.emplace_back();
    before.push_back(0);
    for (const Layer& layer : model->layers())
      before.push_back(before.back() + layer.counts.params + layer.counts.state);
  }
}

bool OnChip::MayShare(UnitId unit, ModelId a, ModelId b) const {
  if (a == b || !Has(unit)) return true;
  const auto& lists = chips_[unit.index()].together;
  return std::ranges::any_of(lists, [&](const std::vector<ModelId>& list) {
    return std::ranges::find(list, a) != list.end() && std::ranges::find(list, b) != list.end();
  });
}

std::int64_t OnChip::WeightsOf(ModelId model, const Variant& variant) const {
  return elements_before_[model.index()].back() * BytesOfPrecision(variant.precision);
}

std::int64_t OnChip::BytesThatStay(ModelId model, UnitId unit, const Variant& variant) const {
  const Chip& chip = chips_[unit.index()];
  std::int64_t left = chip.bytes;
  for (const std::vector<ModelId>& list : chip.together) {
    if (std::ranges::find(list, model) == list.end()) continue;
    for (const ModelId before : list) {
      if (before == model) break;
      left -= std::min(left, WeightsOf(before, variant));
    }
  }
  return std::min(left, WeightsOf(model, variant));
}

std::int64_t OnChip::BytesStreamed(ModelId model, UnitId unit, const Variant& variant) const {
  return WeightsOf(model, variant) - BytesThatStay(model, unit, variant);
}

Nanos OnChip::TimeOf(std::int64_t bytes, UnitId unit) const {
  const double takes = std::ceil(static_cast<double>(bytes) / chips_[unit.index()].rate * 1e9);
  return Nanos{static_cast<std::int64_t>(std::min(takes, static_cast<double>(kLongestTime.count())))};
}

Nanos OnChip::LoadTime(ModelId model, UnitId unit, const Variant& variant) const {
  return TimeOf(BytesThatStay(model, unit, variant), unit);
}

Nanos OnChip::MoreTime(ModelId model, UnitId unit, const Variant& variant,
                       std::span<const LayerId> layers) const {
  if (!Has(unit)) return Nanos{0};
  const std::int64_t element = BytesOfPrecision(variant.precision);
  const std::int64_t stay = BytesThatStay(model, unit, variant);
  const std::int64_t alone = std::min(chips_[unit.index()].bytes, WeightsOf(model, variant));
  if (layers.empty() || stay == alone) return TimeOf(alone - stay, unit);
  const std::vector<std::int64_t>& before = elements_before_[model.index()];
  std::int64_t more = 0;  // of the weights in the order of the layers: what lies from `stay` to `alone`
  for (const LayerId layer : layers) {
    const std::int64_t begin = before[layer.index()] * element, end = before[layer.index() + 1] * element;
    more += std::max<std::int64_t>(std::min(end, alone) - std::max(begin, stay), 0);
  }
  return TimeOf(more, unit);
}

}  // namespace tandem
