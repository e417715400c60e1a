#include "scenarios/check/heat.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// The first whole nanosecond from `since` on, but that one, by which what is `warmth` there and goes towards
// `goal` has come to `bound`, which lies between them.
Nanos ComesTo(double bound, double warmth, double goal, Nanos since, Nanos constant) {
  const double constants = std::log((warmth - goal) / (bound - goal));
  const double takes = std::ceil(constants * static_cast<double>(constant.count()));
  const double most = static_cast<double>(kLongestTime.count());
  return since + Nanos{static_cast<std::int64_t>(std::clamp(takes, 1.0, most + 1))};
}

}  // namespace

std::vector<CheckedSpeed> HeldBackByHeat(const UnitHeat& heat, const std::vector<CheckedSpeed>& goes) {
  double warmth = heat.warmth;
  Nanos since{0};
  bool hot = warmth >= heat.hot;
  std::vector<CheckedSpeed> held = {{Nanos{0}, hot ? heat.speed : 1}};
  // It goes at one speed, heat aside, until then.
  const auto go = [&](double speed, Nanos until) {
    for (;;) {
      const double goal = speed * held.back().speed, bound = hot ? heat.cool : heat.hot;
      if (hot ? goal < bound : goal > bound) {
        const Nanos there = ComesTo(bound, warmth, goal, since, heat.time_constant);
        if (there <= until) {
          warmth = bound;
          since = there;
          hot = !hot;
          held.push_back({there, hot ? heat.speed : 1});
          continue;
        }
      }
      const double constants =
          static_cast<double>((until - since).count()) / static_cast<double>(heat.time_constant.count());
      warmth = goal + (warmth - goal) * std::exp(-constants);
      since = until;
      return;
    }
  };
  double speed = 0;
  for (const CheckedSpeed& next : goes) {
    go(speed, next.at);
    speed = next.speed;
  }
  return held;
}

}  // namespace tandem
