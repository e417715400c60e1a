#include "policies/cutting/split_ratio.h"

#include <algorithm>
#include <set>

namespace tandem {

namespace {

constexpr std::int64_t kHardlyLonger = 20;  // by a twentieth

}  // namespace

// A unit, its curve and the layers that it is of.
struct SplitRatios::Side {
  SplitRatios* of;
  std::span<const LayerId> layers;
  SplitAxis axis;
  SplitUnit unit;
  Curve* curve;

  // 0 steps: the unit does nothing.
  Nanos Ends(std::int64_t steps) const {
    if (steps == 0) return Nanos{0};
    return unit.before + *of->Time(layers, axis, unit.unit, unit.mapped, *curve, steps);
  }
  // The most steps that end by `date`, where more take longer.
  std::int64_t MostBy(Nanos date) const {
    std::int64_t least = 0, most = curve->steps;
    while (least < most) {
      const std::int64_t middle = (least + most + 1) / 2;
      if (Ends(middle) <= date) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }
};

std::optional<Nanos> SplitRatios::Time(std::span<const LayerId> layers, SplitAxis axis, UnitId unit,
                                       bool mapped, Curve& curve, std::int64_t steps) {
  const auto known = curve.known.find(steps);
  if (known != curve.known.end()) return known->second;
  const LayerPart part{axis, 0, steps * curve.granule};
  const auto time = times_.Part(cut_, unit, layers, part, curve.granule * curve.steps, mapped);
  if (time) curve.known.emplace(steps, *time);
  return time;
}

const SplitRatios::PartsOfLayer& SplitRatios::PartsOn(UnitId unit) {
  const auto [known, is_new] = parts_.try_emplace(unit);
  if (!is_new) return known->second;
  for (const CostTable::Measured& entry : times_.Entries(cut_, unit)) {
    for (const std::int32_t layer : entry.layers) {
      if (entry.axis) known->second.emplace(layer, MeasuredPart{*entry.axis, entry.size});
    }
  }
  return known->second;
}

// Between sizes that were measured times lie on straight lines.
bool SplitRatios::Rises(std::span<const LayerId> layers, SplitAxis axis, UnitId unit, bool mapped,
                        Curve& curve) {
  std::set<std::int64_t> bends = {1, curve.steps};
  const auto [first, last] = PartsOn(unit).equal_range(layers.front().value);
  for (auto part = first; part != last; ++part) {
    if (part->second.axis != axis) continue;
    const std::int64_t below = part->second.size / curve.granule;
    for (const std::int64_t step : {below, below + 1}) {
      if (step > 0 && step < curve.steps) bends.insert(step);
    }
  }
  Nanos before{0};
  for (const std::int64_t step : bends) {
    const Nanos time = Time(layers, axis, unit, mapped, curve, step).value_or(Nanos{0});
    if (time < before) return false;
    before = time;
  }
  return true;
}

SplitRatios::Curve* SplitRatios::CurveOf(std::span<const LayerId> layers, SplitAxis axis,
                                         const SplitUnit& unit) {
  const Key key{layers.front(), layers.back(), axis, unit.unit, unit.mapped};
  const auto [found, is_new] = curves_.try_emplace(key);
  if (is_new) {
    const SplitRange range = SplitRangeOf(times_.model(cut_), layers, axis);
    Curve curve{range.granule, range.extent / range.granule, true, {}};
    const bool splits = curve.steps > 1 && Time(layers, axis, unit.unit, unit.mapped, curve, 1) &&
                        Time(layers, axis, unit.unit, unit.mapped, curve, curve.steps);
    if (splits) {
      curve.rising = Rises(layers, axis, unit.unit, unit.mapped, curve);
      found->second = std::move(curve);
    }
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<SplitShares> SplitRatios::Divide(std::span<const LayerId> layers, SplitAxis axis,
                                               const std::vector<SplitUnit>& units) {
  std::vector<Side> sides;
  bool rising = true;
  for (const SplitUnit& unit : units) {
    Curve* curve = CurveOf(layers, axis, unit);
    if (!curve) return std::nullopt;
    rising = rising && curve->rising;
    sides.push_back({this, layers, axis, unit, curve});
  }
  if (sides.size() < 2) return std::nullopt;
  SplitShares shares = sides.size() == 2 && !rising ? Scan(sides) : Fill(sides);
  if (sides.size() == 2) {
    auto measured = OfMeasured(sides);
    if (measured && measured->time - shares.time <= shares.time / kHardlyLonger)
      shares = std::move(*measured);
  }
  for (std::size_t i = 0; i < sides.size(); ++i) shares.sizes[i] *= sides[i].curve->granule;
  return shares;
}

// Of the divisions into two parts that both were measured the one that ends soonest.
std::optional<SplitShares> SplitRatios::OfMeasured(std::vector<Side>& sides) {
  const std::int64_t steps = sides[0].curve->steps;
  const auto measured = [&](const Side& side) {
    std::set<std::int64_t> sizes;  // in granules
    const auto [first, last] = PartsOn(side.unit.unit).equal_range(side.layers.front().value);
    for (auto part = first; part != last; ++part) {
      if (part->second.axis == side.axis) sizes.insert(part->second.size / side.curve->granule);
    }
    return sizes;
  };
  const std::set<std::int64_t> here = measured(sides[0]), there = measured(sides[1]);
  std::optional<SplitShares> best;
  for (const std::int64_t first : here) {
    if (first <= 0 || first >= steps || !there.contains(steps - first)) continue;
    const Nanos time = std::max(sides[0].Ends(first), sides[1].Ends(steps - first));
    if (!best || time < best->time) best = SplitShares{time, {first, steps - first}};
  }
  return best;
}

// All divisions over two units.
SplitShares SplitRatios::Scan(std::vector<Side>& sides) {
  const std::int64_t steps = sides[0].curve->steps;
  SplitShares best{kLongestTime * 2, {}};
  for (std::int64_t first = 1; first < steps; ++first) {
    const Nanos time = std::max(sides[0].Ends(first), sides[1].Ends(steps - first));
    if (time < best.time) best = {time, {first, steps - first}};
  }
  return best;
}

// The earliest date by which all units together can have made everything.
SplitShares SplitRatios::Fill(std::vector<Side>& sides) {
  const std::int64_t steps = sides[0].curve->steps;
  Nanos least{0}, most = sides[0].Ends(steps);
  const auto made_by = [&](Nanos date) {
    std::int64_t made = 0;
    for (const Side& side : sides) made += side.MostBy(date);
    return made;
  };
  while (least < most) {
    const Nanos middle = least + (most - least) / 2;
    if (made_by(middle) >= steps) {
      most = middle;
    } else {
      least = middle + Nanos{1};
    }
  }
  SplitShares shares{Nanos{0}, {}};
  std::int64_t rest = steps;
  for (const Side& side : sides) {
    shares.sizes.push_back(std::min(rest, side.MostBy(most)));
    rest -= shares.sizes.back();
    shares.time = std::max(shares.time, side.Ends(shares.sizes.back()));
  }
  return shares;
}

}  // namespace tandem
