// Which bytes of one arena each value of a segment gets: values that live at different times share them, and
// a value may be a part of another (an input of a concat, a slice) or its successor in place.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/base/ids.h"

namespace tandem {

using ValueId = Id<struct ValueTag>;

class MemoryPlan {
 public:
  // In the arena, values lie on multiples of `alignment` elements.
  explicit MemoryPlan(std::int64_t alignment = 16) : alignment_(alignment) {}

  // A value of `count` elements, its padding among them.
  ValueId Add(std::int64_t count);
  // An input or output of the segment: its address is told at every run. An existing value may become one
  // where it is a root.
  void MakeExternal(ValueId id);
  // From here on `part` lies `offset` elements into `whole`.
  void Place(ValueId part, ValueId whole, std::int64_t offset);

  // The value that is part of no other, and how far into it `id` lies.
  ValueId RootOf(ValueId id) const;
  std::int64_t OffsetOf(ValueId id) const;  // in elements, from the root
  std::int64_t CountOf(ValueId id) const { return values_[id.index()].count; }
  bool IsRoot(ValueId id) const { return !values_[id.index()].parent.valid(); }
  bool IsExternal(ValueId id) const { return values_[RootOf(id).index()].external; }
  bool HasParts(ValueId id) const { return values_[id.index()].parts > 0; }
  std::size_t size() const { return values_.size(); }

  // `step` reads or writes it.
  void Touch(ValueId id, std::size_t step);

  // Offsets in elements by value, of all that is not external; greedy, the largest first, each on a multiple
  // of the alignment. Returns the arena's size in elements.
  std::int64_t Allocate();
  std::int64_t ArenaOffset(ValueId id) const { return values_[RootOf(id).index()].arena + OffsetOf(id); }

 private:
  struct Value {
    std::int64_t count = 0;
    ValueId parent;
    std::int64_t offset = 0;  // within the parent
    int parts = 0;
    bool external = false;
    bool touched = false;
    std::size_t first = 0, last = 0;  // the steps between which it holds something
    std::int64_t arena = 0;
  };
  std::int64_t RoundedUp(std::int64_t count) const {
    return (count + alignment_ - 1) / alignment_ * alignment_;
  }
  std::int64_t alignment_;
  std::vector<Value> values_;
};

}  // namespace tandem
