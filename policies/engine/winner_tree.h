// Which of n numbered items comes first, kept up to date in log n steps per change and without allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem {

// Before(i, j): does item i come before item j? Of items that are equal, as all are at first, the one of the
// smallest number wins. Items that are not there come last.
class WinnerTree {
 public:
  explicit WinnerTree(std::size_t items = 0)
      : leaves_(std::bit_ceil(items > 0 ? items : 1)), winners_(2 * leaves_, -1) {
    for (std::size_t i = 0; i < items; ++i) winners_[leaves_ + i] = static_cast<std::int32_t>(i);
    for (std::size_t node = leaves_ - 1; node > 0; --node) winners_[node] = winners_[2 * node];
  }

  std::int32_t top() const { return winners_[1]; }  // -1: there are no items

  // The item has changed.
  template <class Before>
  void Update(std::size_t item, const Before& before) {
    const auto changed = static_cast<std::int32_t>(item);
    for (std::size_t node = (leaves_ + item) / 2; node > 0; node /= 2) {
      const std::int32_t winner = Winner(node, before);
      if (winner != changed && winner == winners_[node]) return;  // nobody above has met it
      winners_[node] = winner;
    }
  }

 private:
  // Of its two children, of which the first has the smaller number and is there if any is.
  template <class Before>
  std::int32_t Winner(std::size_t node, const Before& before) const {
    const std::int32_t a = winners_[2 * node], b = winners_[2 * node + 1];
    return b >= 0 && before(b, a) ? b : a;
  }

  std::size_t leaves_;
  std::vector<std::int32_t> winners_;  // a heap-shaped tree; the leaves are the items themselves
};

}  // namespace tandem
