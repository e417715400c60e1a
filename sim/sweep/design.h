// Which values the axes of a sweep take, point by point. The same on every machine: own formulas, and a
// generator per axis, so that one more axis never changes what another draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/sweep/sweep.h"

namespace tandem {

// The values of a range that a grid steps through, as JSON numbers; none where it has neither step nor points
// and is no range of integers.
std::vector<std::string> RangeLevels(const SweepAxis& axis);

class SweepPoints {
 public:
  explicit SweepPoints(const Sweep& sweep);  // outlives it

  std::int64_t size() const { return size_; }
  // A JSON text per axis. A grid's last axis varies fastest.
  std::vector<std::string> At(std::int64_t point) const;

 private:
  std::string ValueOf(std::size_t axis, std::int64_t point) const;

  const Sweep& sweep_;
  std::int64_t size_ = 1;
  std::vector<std::vector<std::string>> levels_;  // per axis; none: drawn from the range
  std::vector<std::vector<double>> draws_;        // per axis and point in [0, 1); none of a grid
};

// How many points there are, none more than `most` + 1.
std::int64_t CountPoints(const Sweep& sweep, std::int64_t most);

}  // namespace tandem
