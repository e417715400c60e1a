#include "profiles/costs/as_one.h"

#include <algorithm>

#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

// Others work in whatever layout they find.
bool HasItsLayout(Op op) {
  return op == Op::kMaxPool || op == Op::kAvgPool || Declaration(op).macs != nullptr;
}

bool HasItsLayout(const SegmentLayers& segment, const CoverGroup& group) {
  return std::any_of(group.members.begin(), group.members.end(), [&](std::int32_t member) {
    return HasItsLayout(segment.model.layer(segment.layers[static_cast<std::size_t>(member)]).op);
  });
}

}  // namespace

std::vector<Nanos> TimesAsOne(const SegmentLayers& segment, const std::vector<CoverGroup>& groups,
                              const std::vector<std::optional<Nanos>>& inside,
                              const std::vector<std::size_t>& chosen) {
  std::optional<std::size_t> first, last;  // among the chosen
  const auto front = [&](std::size_t i) { return groups[chosen[i]].members.front(); };
  const auto back = [&](std::size_t i) { return groups[chosen[i]].members.back(); };
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!inside[chosen[i]]) return {};
    if (!HasItsLayout(segment, groups[chosen[i]])) continue;
    if (!first || front(i) < front(*first)) first = i;
    if (!last || back(i) > back(*last)) last = i;
  }
  if (!first || chosen.size() < 2) return {};
  std::vector<Nanos> times;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    times.push_back(front(i) < front(*first) ? groups[chosen[i]].cost.time : *inside[chosen[i]]);
  }
  for (const std::size_t end : {*first, *last}) {
    times[end] += std::max(groups[chosen[end]].cost.time - *inside[chosen[end]], Nanos{0}) / 2;
  }
  return times;
}

}  // namespace tandem
