// What waits of streams whose requests go together, as the judge of traces plays it again: who may be begun,
// and what a unit takes along. Kept apart from policies/engine/batches.h, which executors use.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "scenarios/check/checked_run.h"

namespace tandem {

// A batch as the trace has it.
struct TracedBatch {
  const CheckedTask* task = nullptr;
  const CheckedRequest* first = nullptr;
  std::set<const CheckedRequest*> members = {};  // `first` is one of them
};

class BatchQueue {
 public:
  BatchQueue(const CheckedRun& run, const Batching& rule) : run_(&run), rule_(&rule) {}

  // From one instant to the next: `LetGo` of what had waited long enough before the date; what happens then.
  void LetGoBefore(Nanos date);
  void Release(const CheckedRequest& request);
  bool Drop(const CheckedRequest& request);  // false: it does not wait
  void LetGo(Nanos now);

  // What is wrong with it; empty: nothing, and its requests wait no longer. `hopeless`: nor could it be right
  // after others of this instant.
  std::string Take(const TracedBatch& batch, bool& hopeless);

  friend auto operator<=>(const BatchQueue& a, const BatchQueue& b) {
    return std::tie(a.waiting_, a.has_grown_) <=> std::tie(b.waiting_, b.has_grown_);
  }
  friend bool operator==(const BatchQueue& a, const BatchQueue& b) { return (a <=> b) == 0; }

 private:
  struct Waiting {
    const CheckedRequest* request;
    Nanos since;  // from when its wait counts
    bool due = false;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  using Position = std::vector<Waiting>::iterator;
  Position Find(const CheckedRequest& request);
  template <class Among>
  Position NextOf(Among among);
  bool LimitsMemory() const;

  const CheckedRun* run_;
  const Batching* rule_;
  std::vector<Waiting> waiting_;  // in order of release
  bool has_grown_ = false;        // since it was last seen whether sizes are full
};

}  // namespace tandem
