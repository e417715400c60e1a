// What a task occupies a slot for, piece by piece, for policies that think ahead: the dispatcher's own
// Transfers decides by what has really happened.
#pragma once

#include <vector>

#include "policies/problem/copy_costs.h"

namespace tandem {

class TaskCosts : public CopyCosts {
 public:
  using CopyCosts::CopyCosts;

  std::int64_t BytesOf(const Cut& cut, std::int32_t tensor, std::int64_t element_bytes) const {
    return cut.tensors[static_cast<std::size_t>(tensor)].Bytes(element_bytes);
  }
  // Dispatch and work; of reading through a mapping where an input lies elsewhere and nothing is copied.
  Nanos Work(SegmentId segment, UnitId unit, bool elsewhere) const;
  // What the slot itself brings back to the first memory afterwards.
  Nanos WayBack(SegmentId segment, UnitId unit) const;
  // All that the task takes there that does not depend on where others run: work, model inputs unless
  // requests hand them on (`handed`), and the way back unless what is made stays there (`stays`).
  Nanos Alone(SegmentId segment, UnitId unit, bool handed = false, bool stays = false) const;
  // What having something made on one unit read on another costs beside that: its copy, or in one memory that
  // it is handed over.
  Nanos Transfer(SegmentId reader, std::int64_t elements, UnitId from, UnitId to) const;
};

// Which models a unit that loads them has, as far as one knows what it runs in which order: the one that was
// used longest ago makes room.
class HeldModels {
 public:
  explicit HeldModels(const Problem& problem);  // `problem` outlives it

  // Is anything ever loaded there?
  bool Loads(UnitId unit) const { return loads_[unit.index()] != 0; }
  // What loading takes before the model can be used there; nothing where it is there.
  Nanos LoadTime(ModelId model, UnitId unit) const;
  void Use(ModelId model, UnitId unit);

 private:
  const Problem* problem_;
  std::vector<char> loads_;                 // per unit
  std::vector<std::vector<ModelId>> held_;  // per unit, the least recently used first
};

}  // namespace tandem
