#include "profiles/costs/traffic_curve.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

// Where between a and b the value lies, from 0 to 1.
double Fraction(double value, double a, double b) { return b > a ? (value - a) / (b - a) : 1; }

}  // namespace

TrafficCurve::TrafficCurve(std::vector<TrafficPoint> points) : points_(std::move(points)) {
  std::erase_if(points_, [](const TrafficPoint& point) { return point.bytes_per_s <= 0; });
  std::stable_sort(points_.begin(), points_.end(), [](const TrafficPoint& a, const TrafficPoint& b) {
    return a.bytes_per_s < b.bytes_per_s;
  });
}

double TrafficCurve::At(double bytes_per_s) const {
  TrafficPoint before;
  for (const TrafficPoint& point : points_) {
    if (bytes_per_s < point.bytes_per_s) {
      const double part = Fraction(bytes_per_s, before.bytes_per_s, point.bytes_per_s);
      return before.slowdown + part * (point.slowdown - before.slowdown);
    }
    before = point;
  }
  return before.slowdown;
}

double TrafficCurve::TrafficOf(double slowdown) const {
  TrafficPoint before;
  if (slowdown <= before.slowdown) return 0;
  for (TrafficPoint point : points_) {
    point.slowdown = std::max(point.slowdown, before.slowdown);
    if (slowdown <= point.slowdown) {
      const double part = Fraction(slowdown, before.slowdown, point.slowdown);
      return before.bytes_per_s + part * (point.bytes_per_s - before.bytes_per_s);
    }
    before = point;
  }
  return before.bytes_per_s;
}

}  // namespace tandem
