// A set of units that is gone through in the order of the platform, 64 of them a step.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/base/ids.h"

namespace tandem {

class UnitSet {
 public:
  explicit UnitSet(std::size_t units) : words_((units + 63) / 64) {}

  void Add(UnitId unit) { Word(unit) |= Bit(unit); }
  void Remove(UnitId unit) { Word(unit) &= ~Bit(unit); }
  // As the other one of as many units.
  void Set(const UnitSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] = other.words_[w];
  }
  // The first of those from number `from` on; invalid: there is none.
  UnitId First(std::size_t from = 0) const {
    std::uint64_t mask = ~std::uint64_t{0} << from % 64;
    for (std::size_t w = from / 64; w < words_.size(); ++w, mask = ~std::uint64_t{0}) {
      const std::uint64_t word = words_[w] & mask;
      if (word != 0) return UnitId(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
    return UnitId();
  }

 private:
  static std::uint64_t Bit(UnitId unit) { return std::uint64_t{1} << unit.index() % 64; }
  std::uint64_t& Word(UnitId unit) { return words_[unit.index() / 64]; }

  std::vector<std::uint64_t> words_;
};

}  // namespace tandem
