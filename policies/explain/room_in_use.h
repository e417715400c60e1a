// When memory had no room for a request to begin, as a run's spans tell.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "policies/engine/memory_ledger.h"
#include "policies/explain/spans_by_task.h"

namespace tandem {

class RoomInUse {
 public:
  // `problem` outlives it.
  RoomInUse(const Problem& problem, const SpansByTask& index, const SpanLog& log);

  // When between two dates the request of the task, had it begun with it on that unit, would not have had
  // room beside those under way; until it did begin.
  std::vector<std::pair<Nanos, Nanos>> LackedFor(const SpansByTask::TaskName& task, UnitId unit, Nanos from,
                                                 Nanos to) const;

 private:
  using RequestName = std::pair<StreamId, std::int32_t>;
  static Task TaskOf(const SpansByTask::TaskName& name);
  void AddUse(const SpansByTask::TaskName& task, UnitId unit, Nanos from, Nanos to, std::int64_t requests);

  MemoryLedger ledger_;
  std::map<RequestName, Nanos> begun_;
  std::vector<std::map<Nanos, std::int64_t>> used_;  // per memory: from each date on
};

}  // namespace tandem
