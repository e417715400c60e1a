// What befalls a unit now and then, whatever it does: the host takes the core away, a thread that waits is woken late.
// Work takes many times as long then. A few samples of an entry cannot tell how often that is: one of three would be a
// third of the time. All samples of a unit together can.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/engine/luck.h"
#include "profiles/costs/cost_table.h"

namespace tandem {

class Stalls {
 public:
  static constexpr double kBeyond = 2;  // so many times the median: then it is one

  // The samples of an entry, in which such are.
  void Count(const std::vector<Nanos>& samples);

  // Else nothing is ever held up; or it is so often that it is no exception.
  bool any() const { return !excess_.empty() && seldom_; }
  // The samples as they were without them: the median in place of each.
  static std::vector<Nanos> Without(const std::vector<Nanos>& samples);
  // What work of that length takes longer, most of the time nothing: so often a time as was seen.
  double Added(double work, const Luck& luck, std::uint64_t what) const;

 private:
  std::vector<double> excess_;  // beyond the median
  double undisturbed_ = 0;      // time of all samples without that
  std::int64_t samples_ = 0;
  bool seldom_ = true;
};

}  // namespace tandem
