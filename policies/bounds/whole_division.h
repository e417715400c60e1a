// Whole pieces of work on places that run one at a time: how many of each class each place takes so that the
// fullest is done early. Far cheaper than simulating a schedule, and all that matters where everything is
// there from the start.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/bounds/division.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

using PlaceCounts = std::vector<std::vector<std::int64_t>>;  // per place and class

// Times of the classes are per place; all pieces at their longest end within 2^62 ns.
class WholeDivision {
 public:
  WholeDivision(std::span<const WorkClass> classes, std::size_t places)
      : classes_(classes), counts_(places, std::vector<std::int64_t>(classes.size())), load_(places) {}

  const PlaceCounts& counts() const { return counts_; }
  Nanos makespan() const { return *std::max_element(load_.begin(), load_.end()); }

  void Add(std::size_t place, std::size_t c, std::int64_t n) {
    counts_[place][c] += n;
    load_[place] += n * classes_[c].time[place];
  }
  // Gives away what no place has yet: the class with the longest pieces first, portions to where each ends
  // first.
  void Fill();
  // Threshold accepting: pieces go from one place to another, half of the time from the fullest, perhaps
  // against others, and what is not much longer than before stays, less and less so. Ends early at `bound`.
  void Improve(Nanos bound, StreamRandom& random);

 private:
  struct Shift {
    std::size_t work = 0, from = 0, to = 0;
    std::int64_t count = 0;
  };
  void ImproveOnce(Nanos bound, StreamRandom& random, WholeDivision& best);
  Shift AnyShift(std::size_t from, std::size_t to, StreamRandom& random) const;
  void Apply(const Shift& shift) {
    Add(shift.from, shift.work, -shift.count);
    Add(shift.to, shift.work, shift.count);
  }
  void TakeBack(const Shift& shift) { Apply({shift.work, shift.to, shift.from, shift.count}); }
  std::size_t Fullest() const {
    return static_cast<std::size_t>(std::max_element(load_.begin(), load_.end()) - load_.begin());
  }

  std::span<const WorkClass> classes_;
  PlaceCounts counts_;
  std::vector<Nanos> load_;
};

}  // namespace tandem
