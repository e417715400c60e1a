// The parts of a compiled segment that every backend has: where its tensors lie, and the steps between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device/lowering/memory_plan.h"
#include "profiles/base/ids.h"

namespace tandem {

// Where every value lies while a segment runs; by ValueId. `Unit` is what the memory plan counts.
template <class Unit>
class ValueAddresses {
 public:
  Unit* operator[](ValueId id) const { return at_[id.index()]; }
  void Set(ValueId id, Unit* address) { at_[id.index()] = address; }

  // All that is allocated in the arena.
  void Place(const MemoryPlan& memory, Unit* arena) {
    at_.resize(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const ValueId id(i);
      if (!memory.IsExternal(id)) {
        Set(id, arena + memory.ArenaOffset(id));
      } else if (!memory.IsRoot(id)) {
        moving_.push_back({id, memory.RootOf(id), memory.OffsetOf(id)});
      }
    }
  }
  // What lies inside the values that the caller brings, once those are set.
  void FollowCaller() {
    for (const Moving& part : moving_) Set(part.value, at_[part.root.index()] + part.offset);
  }

 private:
  struct Moving {
    ValueId value, root;
    std::int64_t offset;  // how far into it
  };
  std::vector<Unit*> at_;
  std::vector<Moving> moving_;
};

class SegmentStep {
 public:
  SegmentStep(std::vector<LayerId> layers, std::string how)
      : layers_(std::move(layers)), how_(std::move(how)) {}
  virtual ~SegmentStep() = default;

  const std::vector<LayerId>& layers() const { return layers_; }
  const std::string& how() const { return how_; }

 private:
  std::vector<LayerId> layers_;
  std::string how_;
};

}  // namespace tandem
