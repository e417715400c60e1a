// A set of units that is gone through in the order of the platform. Whole words of 64 without any are passed
// over 64 at a time, so that few units of thousands are found at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/base/ids.h"

namespace tandem {

class UnitSet {
 public:
  // After the words there is an empty one, where a search may begin that finds nothing.
  explicit UnitSet(std::size_t units)
      : one_word_(units <= 64), words_((units + 63) / 64 + 1), groups_((words_.size() + 63) / 64) {}

  bool Has(UnitId unit) const { return (words_[unit.index() / 64] & Bit(unit.index())) != 0; }
  void Add(UnitId unit) {
    const std::size_t w = unit.index() / 64;
    words_[w] |= Bit(unit.index());
    if (one_word_) return;
    groups_[w / 64] |= Bit(w);
  }
  void Remove(UnitId unit) {
    const std::size_t w = unit.index() / 64;
    words_[w] &= ~Bit(unit.index());
    if (!one_word_ && words_[w] == 0) groups_[w / 64] &= ~Bit(w);
  }
  // The first of those from number `from` on, which is at most the number of units; invalid: there is none.
  UnitId First(std::size_t from = 0) const {
    const std::size_t w = from / 64;
    const std::uint64_t word = words_[w] & ~std::uint64_t{0} << from % 64;
    if (word != 0) return In(w, word);
    return one_word_ ? UnitId() : FirstFromWord(w + 1);
  }

 private:
  static std::uint64_t Bit(std::size_t at) { return std::uint64_t{1} << at % 64; }
  static UnitId In(std::size_t w, std::uint64_t word) {
    return UnitId(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }
  UnitId FirstFromWord(std::size_t from) const {
    if (from + 1 >= words_.size()) return UnitId();
    std::uint64_t mask = ~std::uint64_t{0} << from % 64;
    for (std::size_t g = from / 64; g < groups_.size(); ++g, mask = ~std::uint64_t{0}) {
      const std::uint64_t group = groups_[g] & mask;
      if (group == 0) continue;
      const std::size_t w = g * 64 + static_cast<std::size_t>(std::countr_zero(group));
      return In(w, words_[w]);
    }
    return UnitId();
  }

  bool one_word_;  // then there is nothing to pass over
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> groups_;  // which of the words hold any, where there are more
};

}  // namespace tandem
