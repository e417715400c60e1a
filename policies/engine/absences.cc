#include "policies/engine/absences.h"

#include <algorithm>
#include <tuple>

namespace tandem {

Absences::Absences(const Scenario& scenario, const Places& places)
    : on_(!scenario.away.empty()), all_(scenario.away) {
  if (!on_) return;
  for (const UnitAbsence& absence : all_) {
    changes_.push_back({absence.from, {absence.unit, true}});
    if (absence.until) changes_.push_back({*absence.until, {absence.unit, false}});
  }
  std::stable_sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.leaves, a.second.unit) <
           std::tie(b.first, b.second.leaves, b.second.unit);
  });
  away_.resize(scenario.platform->units.size());
  for (std::size_t p = 0; p < places.size(); ++p) serves_.push_back(places.UnitOf(PlaceId(p)));
}

std::optional<Absences::Change> Absences::Take(Nanos now) {
  if (NextDate() > now) return std::nullopt;
  const Change change = changes_[next_++].second;
  away_[change.unit.index()] = change.leaves ? 1 : 0;
  now_away_.clear();
  for (std::size_t u = 0; u < away_.size(); ++u) {
    if (away_[u] != 0) now_away_.emplace_back(u);
  }
  return change;
}

Nanos Absences::AwayFor(UnitId unit, Nanos until) const {
  Nanos total{0};
  for (const UnitAbsence& absence : all_) {
    const Nanos end = std::min(absence.until.value_or(until), until);
    if (absence.unit == unit && absence.from < end) total += end - absence.from;
  }
  return total;
}

void Absences::Lose(const Lost& lost) {
  const auto after = std::upper_bound(lost_.begin(), lost_.end(), lost, [](const Lost& a, const Lost& b) {
    return InTaskOrder(a.task, b.task);
  });
  lost_.insert(after, lost);
  ++size_;
}

std::optional<Absences::Lost> Absences::BeginAgain(const std::function<bool(const Lost&)>& may) {
  const auto found = std::find_if(lost_.begin(), lost_.end(), may);
  if (found == lost_.end()) return std::nullopt;
  const Lost lost = *found;
  lost_.erase(found);
  --size_;
  return lost;
}

void Absences::Strand(const Task& task) {
  stranded_.push_back(task);
  ++size_;
}

bool Absences::Forget(const Task& stranded) {
  const auto gone = std::erase_if(stranded_, [&](const Task& task) { return SameTask(task, stranded); });
  size_ -= static_cast<std::int64_t>(gone);
  return gone > 0;
}

std::vector<Task> Absences::TakeStranded(const std::function<bool(const Task&)>& may) {
  const auto taken =
      std::stable_partition(stranded_.begin(), stranded_.end(), [&](const Task& task) { return !may(task); });
  std::vector<Task> tasks(taken, stranded_.end());
  stranded_.erase(taken, stranded_.end());
  size_ -= static_cast<std::int64_t>(tasks.size());
  std::sort(tasks.begin(), tasks.end(), InTaskOrder);
  return tasks;
}

}  // namespace tandem
