// How much longer work takes beside so much traffic to memory: straight lines from (0, 1) through the
// measured points, constant beyond the last.
#pragma once

#include <vector>

namespace tandem {

struct TrafficPoint {
  double bytes_per_s = 0;
  double slowdown = 1;
};

class TrafficCurve {
 public:
  TrafficCurve() = default;
  explicit TrafficCurve(std::vector<TrafficPoint> points);  // in any order

  double At(double bytes_per_s) const;
  // The least traffic that slows down as much, taken as if more traffic never helped; 0 for a slowdown of 1,
  // the last point's traffic for what is beyond the curve.
  double TrafficOf(double slowdown) const;

 private:
  std::vector<TrafficPoint> points_;  // ascending by traffic, without (0, 1)
};

}  // namespace tandem
