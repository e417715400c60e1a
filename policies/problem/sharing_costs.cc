#include "policies/problem/sharing_costs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>

namespace tandem {

void SharingCosts::Read(EntryReader& reader, Weights& weights) {
  std::map<std::tuple<std::string, std::string, std::string, bool>, std::size_t> curves;
  for (const SharingEntry& entry : reader.profile().sharing) {
    const UnitId unit = reader.FindUnit(entry.unit);
    if (!unit.valid()) continue;
    const auto [curve, is_new] =
        curves.try_emplace({entry.unit, entry.model, entry.beside_model, entry.apart}, points_.size());
    if (is_new) {
      points_.push_back({{1, 1}});  // a task that is alone
      const EntryWork work = reader.WorkOf(entry.model, {});
      if (entry.beside_model.empty()) {
        const std::size_t way = entry.apart ? 1 : 0;
        reader.Set(share_[way], weights[way], unit, work, static_cast<double>(curve->second), -1);
      } else {
        model_of_ = reader.model_of();
        pairs_.push_back(
            {unit, work, reader.WorkOf(entry.beside_model, {}).model, entry.apart, curve->second});
      }
    }
    AddPoint(points_[curve->second], static_cast<double>(entry.at_once), entry.slowdown);
  }
}

// Beyond the last point as at that: what each gets of the unit is the same part of it.
double SharingCosts::Of(SegmentId segment, UnitId unit, std::int64_t at_once, bool apart) const {
  const auto all = static_cast<double>(at_once);
  for (const std::vector<double>& way :
       {std::cref(share_[apart ? 1 : 0]), std::cref(share_[apart ? 0 : 1])}) {
    const double curve = way.empty() ? -1 : way[segment.index() * units_ + unit.index()];
    if (curve >= 0) return Shared(points_[static_cast<std::size_t>(curve)], all);
  }
  return all;
}

double SharingCosts::Shared(const SlowdownPoints& points, double at_once) {
  const auto& [most, slowdown] = points.back();
  return at_once > most ? slowdown * at_once / most : OnLine(points, at_once);
}

// The most particular about the work, then the first.
const SharingCosts::Pair* SharingCosts::Find(SegmentId segment, UnitId unit, SegmentId other,
                                             bool apart) const {
  const Pair* best = nullptr;
  for (const Pair& pair : pairs_) {
    if (pair.unit != unit || pair.beside != model_of_[other.index()]) continue;
    if (!pair.work.Covers(segment, model_of_[segment.index()])) continue;
    const auto rank = [&](const Pair& of) { return std::pair(of.apart == apart, of.work.weight()); };
    if (best == nullptr || rank(pair) > rank(*best)) best = &pair;
  }
  return best;
}

// Where nothing is known of an other it counts as any. Of more at once than is known of a pair: as much more
// as of any, where that is more than in proportion (LeastSlowdown counts on that).
double SharingCosts::With(SegmentId segment, UnitId unit, std::span<const SegmentId> others,
                          bool apart) const {
  const auto at_once = static_cast<std::int64_t>(others.size()) + 1;
  const double any = Of(segment, unit, at_once, apart);
  double more = 0;
  for (const SegmentId other : others) {
    const Pair* const pair = Find(segment, unit, other, apart);
    if (pair == nullptr) continue;
    const SlowdownPoints& points = points_[pair->curve];
    const auto& [most, slowdown] = points.back();
    const auto all = static_cast<double>(at_once);
    double with = Shared(points, all);
    if (all > most) {
      with = std::max(with, slowdown * any / Of(segment, unit, std::llround(most), apart));
    }
    more += with - any;
  }
  const double met = more == 0 ? any : any + more / static_cast<double>(others.size());
  if (groups_.empty() || IsMeasured(segment, unit, others, apart)) return met;
  return met * groups_[segment.index() * units_ + unit.index()];
}

// Its like were, and of others those that are all of one model, so many at once.
bool SharingCosts::IsMeasured(SegmentId segment, UnitId unit, std::span<const SegmentId> others,
                              bool apart) const {
  const ModelId own = model_of_[segment.index()], first = model_of_[others.front().index()];
  for (const SegmentId other : others) {
    if (model_of_[other.index()] != first) return false;
  }
  if (first == own) return true;
  const Pair* const pair = Find(segment, unit, others.front(), apart);
  return pair != nullptr && static_cast<double>(others.size() + 1) <= points_[pair->curve].back().first;
}

bool SharingCosts::Know(UnitId unit) const {
  for (const Pair& pair : pairs_) {
    if (pair.unit == unit) return true;
  }
  for (const std::vector<double>& way : share_) {
    for (std::size_t at = unit.index(); at < way.size(); at += units_) {
      if (way[at] >= 0) return true;
    }
  }
  return false;
}

}  // namespace tandem
