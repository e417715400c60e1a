// What waits before a task on a unit that shares cores or a device with others: a group of cores waits for
// the one that has the most to do, a single core for the groups that it belongs to, too.
#pragma once

#include <algorithm>
#include <vector>

#include "profiles/base/time.h"
#include "profiles/costs/platform.h"

namespace tandem {

class CommonWork {
 public:
  explicit CommonWork(const Platform& platform);

  // `own`: how long what the unit has keeps it busy; `work`: the same of another. The most that any core or
  // device of the unit has.
  template <class Work>
  Nanos Before(UnitId unit, Nanos own, const Work& work) const {
    if (!any_) return own;
    return MostOf(unit, own, work);
  }

 private:
  template <class Work>
  [[gnu::noinline]] Nanos MostOf(UnitId unit, Nanos own, const Work& work) const {
    Nanos most = own;
    for (const std::vector<UnitId>& users : parts_[unit.index()]) {
      Nanos all = own;
      for (const UnitId user : users) all += work(user);
      most = std::max(most, all);
    }
    return most;
  }

  bool any_ = false;  // does any unit share anything?
  // Per unit, of each of its cores and of its device that others use: those.
  std::vector<std::vector<std::vector<UnitId>>> parts_;
};

}  // namespace tandem
