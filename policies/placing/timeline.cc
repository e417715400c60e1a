#include "policies/placing/timeline.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr Nanos kForGood{INT64_MAX};
constexpr std::size_t kMostGaps = 256;  // of a block

}  // namespace

Timeline::Timeline() : blocks_{{{Nanos{0}, kForGood}}}, longest_{kForGood} {}

// The first block with a gap that ends after the date; there always is one.
std::size_t Timeline::BlockAt(Nanos date) const {
  const auto found = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const Block& block) { return block.back().end <= date; });
  return static_cast<std::size_t>(found - blocks_.begin());
}

std::size_t Timeline::GapAt(const Block& block, Nanos date) {
  const auto found =
      std::partition_point(block.begin(), block.end(), [&](const Gap& gap) { return gap.end <= date; });
  return static_cast<std::size_t>(found - block.begin());
}

// What takes no time fits before the end of a gap only: at its end something else begins.
Nanos Timeline::FirstFit(Nanos from, Nanos length) const {
  std::size_t b = BlockAt(from);
  for (std::size_t g = GapAt(blocks_[b], from); b < blocks_.size(); ++b, g = 0) {
    if (longest_[b] < length) continue;
    for (; g < blocks_[b].size(); ++g) {
      const Gap& gap = blocks_[b][g];
      const Nanos start = std::max(gap.start, from);
      if (gap.end - start >= length) return start;
    }
  }
  TANDEM_CHECK(false, "the last gap has room for everything");
  return kForGood;
}

void Timeline::Measure(std::size_t block) {
  Nanos& longest = longest_[block];
  longest = Nanos{0};
  for (const Gap& gap : blocks_[block]) longest = std::max(longest, gap.length());
}

void Timeline::Insert(std::size_t b, std::size_t g, Gap inserted) {
  const auto at = [](auto& list, std::size_t position) {
    return list.begin() + static_cast<std::ptrdiff_t>(position);
  };
  blocks_[b].insert(at(blocks_[b], g), inserted);
  if (blocks_[b].size() <= kMostGaps) return;
  Block second(at(blocks_[b], kMostGaps / 2), blocks_[b].end());
  blocks_[b].resize(kMostGaps / 2);
  blocks_.insert(at(blocks_, b + 1), std::move(second));
  longest_.insert(at(longest_, b + 1), Nanos{0});
  Measure(b + 1);
}

void Timeline::Erase(std::size_t b, std::size_t g) {
  blocks_[b].erase(blocks_[b].begin() + static_cast<std::ptrdiff_t>(g));
  if (!blocks_[b].empty()) return Measure(b);
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
  longest_.erase(longest_.begin() + static_cast<std::ptrdiff_t>(b));
}

void Timeline::Occupy(Nanos start, Nanos end) {
  if (start == end) return;
  const std::size_t b = BlockAt(start), g = GapAt(blocks_[b], start);
  const Gap gap = blocks_[b][g];
  TANDEM_CHECK(gap.start <= start && end <= gap.end, "what is planned into a slot does not overlap");
  if (gap.start == start && end == gap.end) return Erase(b, g);
  if (gap.start == start) {
    blocks_[b][g].start = end;
  } else {
    blocks_[b][g].end = start;
    if (end < gap.end) Insert(b, g + 1, {end, gap.end});
  }
  Measure(b);
}

void Timeline::Free(Nanos start, Nanos end) {
  if (start == end) return;
  const std::size_t b = BlockAt(start), g = GapAt(blocks_[b], start);  // the gap after it
  Gap& next = blocks_[b][g];
  TANDEM_CHECK(end <= next.start, "what becomes free was planned");
  const bool first = g == 0;
  const bool joins_before =
      first ? b > 0 && blocks_[b - 1].back().end == start : blocks_[b][g - 1].end == start;
  if (next.start == end) {
    next.start = start;
    if (joins_before) {
      next.start = first ? blocks_[b - 1].back().start : blocks_[b][g - 1].start;
      Measure(b);
      return first ? Erase(b - 1, blocks_[b - 1].size() - 1) : Erase(b, g - 1);
    }
  } else if (joins_before) {
    Gap& before = first ? blocks_[b - 1].back() : blocks_[b][g - 1];
    before.end = end;
    if (first) Measure(b - 1);
  } else {
    Insert(b, g, {start, end});
  }
  Measure(b);
}

void Timeline::Forget(Nanos before) {
  const auto kept = static_cast<std::ptrdiff_t>(BlockAt(before));
  blocks_.erase(blocks_.begin(), blocks_.begin() + kept);
  longest_.erase(longest_.begin(), longest_.begin() + kept);
}

}  // namespace tandem
