// What of models' weights stays in the memory that a unit has on its chip, and what the rest takes. Models
// that are compiled together share it in their order: each has what those before it leave. A model that is
// compiled with no other has all of it, as long as it is there. What profiles measured of a model is of it
// alone: beyond that counts what does not stay since others have its place, and comes with each task.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/time.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "profiles/model/model.h"

namespace tandem {

// Per unit those that are compiled together, in their order; others are compiled alone. Empty: all are.
using CompiledTogether = std::vector<std::vector<std::vector<ModelId>>>;

class OnChip {
 public:
  OnChip() = default;
  // Keeps nothing of the models; their positions are their ids.
  OnChip(const Platform& platform, const std::vector<const Model*>& models, CompiledTogether together);

  bool Has(UnitId unit) const { return unit.index() < chips_.size() && chips_[unit.index()].bytes >= 0; }
  // May both be there at once? Of units without such a memory: yes.
  bool MayShare(UnitId unit, ModelId a, ModelId b) const;
  // Of a unit that has one: how much of the model stays while those that it was compiled with are there, in
  // that variant, and how much comes with each task of the whole model.
  std::int64_t BytesThatStay(ModelId model, UnitId unit, const Variant& variant) const;
  std::int64_t BytesStreamed(ModelId model, UnitId unit, const Variant& variant) const;
  // Bringing those there that stay.
  Nanos LoadTime(ModelId model, UnitId unit, const Variant& variant) const;
  // What these layers (none: all) take longer than they would if the model were compiled alone. The first
  // layers stay.
  Nanos MoreTime(ModelId model, UnitId unit, const Variant& variant, std::span<const LayerId> layers) const;

 private:
  struct Chip {
    std::int64_t bytes = -1;  // negative: it has none
    double rate = 0;
    std::vector<std::vector<ModelId>> together;
  };

  std::int64_t WeightsOf(ModelId model, const Variant& variant) const;
  Nanos TimeOf(std::int64_t bytes, UnitId unit) const;

  std::vector<Chip> chips_;                                 // per unit
  std::vector<std::vector<std::int64_t>> elements_before_;  // per model: weights of the layers before each
};

}  // namespace tandem
