#include "device/lowering/memory_plan.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {

ValueId MemoryPlan::Add(std::int64_t count) {
  values_.push_back({});
  values_.back().count = count;
  return ValueId(values_.size() - 1);
}

void MemoryPlan::MakeExternal(ValueId id) {
  TANDEM_CHECK(IsRoot(id), "what comes from outside is part of nothing");
  values_[id.index()].external = true;
}

void MemoryPlan::Place(ValueId part, ValueId whole, std::int64_t offset) {
  TANDEM_CHECK(IsRoot(part) && !values_[part.index()].external && RootOf(whole) != part,
               "a value is part of one other");
  TANDEM_CHECK(offset >= 0 && offset + CountOf(part) <= CountOf(whole), "a part lies inside the whole");
  values_[part.index()].parent = whole;
  values_[part.index()].offset = offset;
  ++values_[whole.index()].parts;
}

ValueId MemoryPlan::RootOf(ValueId id) const {
  while (values_[id.index()].parent.valid()) id = values_[id.index()].parent;
  return id;
}

std::int64_t MemoryPlan::OffsetOf(ValueId id) const {
  std::int64_t offset = 0;
  for (; values_[id.index()].parent.valid(); id = values_[id.index()].parent)
    offset += values_[id.index()].offset;
  return offset;
}

void MemoryPlan::Touch(ValueId id, std::size_t step) {
  Value& value = values_[id.index()];
  value.first = value.touched ? std::min(value.first, step) : step;
  value.last = value.touched ? std::max(value.last, step) : step;
  value.touched = true;
}

std::int64_t MemoryPlan::Allocate() {
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value& value = values_[i];
    Value& root = values_[RootOf(ValueId(i)).index()];
    if (value.touched && &root != &value) {
      root.first = root.touched ? std::min(root.first, value.first) : value.first;
      root.last = root.touched ? std::max(root.last, value.last) : value.last;
      root.touched = true;
    }
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (IsRoot(ValueId(i)) && !values_[i].external && values_[i].touched) roots.push_back(i);
  }
  std::stable_sort(roots.begin(), roots.end(),
                   [&](std::size_t a, std::size_t b) { return values_[a].count > values_[b].count; });
  std::int64_t size = 0;
  std::vector<std::size_t> placed;  // by place in the arena
  for (const std::size_t i : roots) {
    Value& value = values_[i];
    const std::int64_t need = RoundedUp(value.count);
    std::int64_t at = 0;
    for (const std::size_t k : placed) {
      const Value& other = values_[k];
      if (other.last < value.first || other.first > value.last) continue;
      if (at + need <= other.arena) break;
      at = std::max(at, other.arena + RoundedUp(other.count));
    }
    value.arena = at;
    size = std::max(size, at + need);
    const auto after = [&](std::int64_t place, std::size_t k) { return place < values_[k].arena; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), at, after), i);
  }
  return size;
}

}  // namespace tandem
