// When one slot is free, as far as it is planned: gaps between what it does, the last one without end. Built
// for hundreds of thousands of entries: the gaps stand in blocks that know their longest one.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

class Timeline {
 public:
  Timeline();

  // The first date not before `from` at which something of that length fits in.
  Nanos FirstFit(Nanos from, Nanos length) const;
  // Taken from now on; it was free.
  void Occupy(Nanos start, Nanos end);
  // Free again; it was occupied.
  void Free(Nanos start, Nanos end);
  // Nothing before that date will be asked for.
  void Forget(Nanos before);
  // From then on it is free for good.
  Nanos end() const { return blocks_.back().back().start; }

 private:
  struct Gap {
    Nanos start{0}, end{0};
    Nanos length() const { return end - start; }
  };
  using Block = std::vector<Gap>;  // ascending, never empty

  std::size_t BlockAt(Nanos date) const;
  static std::size_t GapAt(const Block& block, Nanos date);
  void Insert(std::size_t block, std::size_t gap, Gap inserted);
  void Erase(std::size_t block, std::size_t gap);
  void Measure(std::size_t block);

  std::vector<Block> blocks_;   // ascending
  std::vector<Nanos> longest_;  // per block
};

}  // namespace tandem
