#include "profiles/dumps/nsys/nesting.h"

#include <algorithm>
#include <tuple>

namespace tandem::nsys {
namespace {

auto PlaceOf(const Range& range) { return std::tuple(range.thread, range.span.start, -range.span.end); }

}  // namespace

Nesting::Nesting(std::vector<Range> ranges) : ranges_(std::move(ranges)), parents_(ranges_.size(), kNone) {
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const Range& a, const Range& b) { return PlaceOf(a) < PlaceOf(b); });
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    const auto is_over = [&](std::size_t other) {
      return ranges_[other].thread != range.thread || ranges_[other].span.end <= range.span.start;
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty()) {
      parents_[i] = open.back();
      if (ranges_[open.back()].span.end < range.span.end) crossing_.emplace_back(open.back(), i);
    }
    open.push_back(i);
    deepest_ = std::max(deepest_, open.size());
  }
}

std::size_t Nesting::Around(std::uint64_t thread, const Span& span) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), std::pair(thread, span.start),
                                      [](const auto& wanted, const Range& range) {
                                        return wanted < std::pair(range.thread, range.span.start);
                                      });
  if (after == ranges_.begin()) return kNone;
  auto at = static_cast<std::size_t>(after - ranges_.begin()) - 1;
  if (ranges_[at].thread != thread) return kNone;
  while (at != kNone && ranges_[at].span.end < span.end) at = parents_[at];
  return at;
}

}  // namespace tandem::nsys
