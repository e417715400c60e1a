// Which of n numbered items comes first, kept up to date in log n steps per change and without allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem {

// Before(i, j): does item i come before item j? It is a strict order in which no two items are equal, i.e.
// ties go by number, as all do at first. Items that are not there come last.
class WinnerTree {
 public:
  explicit WinnerTree(std::size_t items = 0)
      : leaves_(std::bit_ceil(items > 0 ? items : 1)), winners_(2 * leaves_, -1) {
    for (std::size_t i = 0; i < items; ++i) winners_[leaves_ + i] = static_cast<std::int32_t>(i);
    Rebuild([](std::int32_t a, std::int32_t b) { return a < b; });
  }

  std::int32_t top() const { return winners_[1]; }  // -1: there are no items

  template <class Before>
  void Update(std::size_t item, const Before& before) {
    for (std::size_t node = (leaves_ + item) / 2; node > 0; node /= 2) Play(node, before);
  }

  template <class Before>
  void Rebuild(const Before& before) {
    for (std::size_t node = leaves_ - 1; node > 0; --node) Play(node, before);
  }

 private:
  template <class Before>
  void Play(std::size_t node, const Before& before) {
    const std::int32_t a = winners_[2 * node], b = winners_[2 * node + 1];
    const bool first = b < 0 || (a >= 0 && before(a, b));
    winners_[node] = first ? a : b;
  }

  std::size_t leaves_;
  std::vector<std::int32_t> winners_;  // a heap-shaped tree; the leaves are the items themselves
};

}  // namespace tandem
