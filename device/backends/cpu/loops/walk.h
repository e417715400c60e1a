// Nested loops over tensors that step through memory in different ways: broadcast operands, exchanged axes,
// ranges. The innermost loops are the caller's; a Walk goes through those around them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tandem {

struct LoopAxis {
  std::int64_t count;
  std::int64_t out, a, b;  // steps in elements
};

// The same elements in the same order by as few loops as can be; at least one.
inline std::vector<LoopAxis> MergeLoops(const std::vector<LoopAxis>& axes) {
  std::vector<LoopAxis> merged;
  for (const LoopAxis& axis : axes) {
    if (axis.count == 1) continue;
    if (!merged.empty()) {
      const LoopAxis& around = merged.back();
      const bool joins = around.out == axis.out * axis.count && around.a == axis.a * axis.count &&
                         around.b == axis.b * axis.count;
      if (joins) {
        merged.back() = {around.count * axis.count, axis.out, axis.a, axis.b};
        continue;
      }
    }
    merged.push_back(axis);
  }
  if (merged.empty()) merged.push_back({1, 1, 1, 1});
  return merged;
}

class LoopWalk {
 public:
  // Stands at the iteration `at` of the loops `axes`.
  LoopWalk(const std::vector<LoopAxis>& axes, std::int64_t at) : axes_(axes) {
    for (std::size_t i = axes.size(); i-- > 0;) {
      position_[i] = at % axes[i].count;
      at /= axes[i].count;
      out += position_[i] * axes[i].out;
      a += position_[i] * axes[i].a;
      b += position_[i] * axes[i].b;
    }
  }
  void Next() {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      const LoopAxis& axis = axes_[i];
      out += axis.out;
      a += axis.a;
      b += axis.b;
      if (++position_[i] < axis.count) return;
      position_[i] = 0;
      out -= axis.count * axis.out;
      a -= axis.count * axis.a;
      b -= axis.count * axis.b;
    }
  }

  std::int64_t out = 0, a = 0, b = 0;

 private:
  const std::vector<LoopAxis>& axes_;
  std::array<std::int64_t, 32> position_{};  // a layer has at most 16 axes
};

inline std::int64_t Iterations(const std::vector<LoopAxis>& axes) {
  std::int64_t count = 1;
  for (const LoopAxis& axis : axes) count *= axis.count;
  return count;
}

}  // namespace tandem
