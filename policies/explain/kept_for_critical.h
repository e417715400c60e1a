// When units were kept from what is not critical: a task of a critical stream waited that they could run, or
// that a unit could with which they share cores or a device.
#pragma once

#include <utility>
#include <vector>

#include "policies/explain/room_in_use.h"
#include "policies/explain/spans_by_task.h"

namespace tandem {

class KeptForCritical {
 public:
  // `index` and `room` are those of the log. What waits for room, or for company, keeps nothing.
  KeptForCritical(const Problem& problem, const SpansByTask& index, const RoomInUse& room,
                  const SpanLog& log);

  // Those times that touch the interval, ascending and apart.
  std::vector<std::pair<Nanos, Nanos>> During(UnitId unit, Nanos from, Nanos to) const;

 private:
  using Times = std::vector<std::pair<Nanos, Nanos>>;

  void AddWait(const Problem& problem, SegmentId segment, const Times& times);

  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<Times> kept_;                    // per unit; empty: nothing is critical
};

}  // namespace tandem
