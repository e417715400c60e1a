// What a sequence of tasks costs at least, by one pass over it that takes a small part of what simulating it
// does: every task begins when its unit and what it reads are there, and takes its least time. Where nothing
// else can happen that is what it costs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "policies/bounds/least_times.h"
#include "policies/kinds/recording_policy.h"
#include "scenarios/report/limits.h"
#include "scenarios/report/objective.h"

namespace tandem {

struct Evaluated {
  ScheduleCost cost;
  UnitId busiest;
  std::shared_ptr<const NearMisses> misses = {};  // of the scenario's limits; null: it has none
};

Evaluated EvaluatedBy(const Problem& problem, const Outcome& outcome);

class LeastCost {
 public:
  // `problem` outlives it; `certain` as CertainRequests.
  LeastCost(const Problem& problem, const std::vector<std::int64_t>& certain);

  // Does the pass say anything? Not where requests may be missing, anything may go faster than profiled,
  // units may leave, or energy or limits count.
  bool known() const { return known_; }

  // Is it all that there is to say?
  bool exact() const { return exact_; }

  // Of all tasks of all requests, none before one of its request that it waits for: no run of these, each on
  // its unit and there in this order, has a smaller figure anywhere. Only where it is known.
  Evaluated Of(const std::vector<Decision>& tasks);

 private:
  bool MaySay(const std::vector<std::int64_t>& certain) const;
  bool RoomForAll(const std::vector<std::int64_t>& certain) const;
  bool NothingElseHappens() const;
  void FindReleases(const std::vector<std::int64_t>& certain);
  void Pass(const std::vector<Decision>& tasks);
  void EndAllWork();
  Nanos& FreeOn(UnitId unit);

  const Problem* problem_;
  LeastTimes least_;
  bool known_;
  bool in_order_;  // does every unit surely keep to the sequence's order?
  bool exact_;
  std::vector<std::size_t> first_task_;  // per stream: where its tasks begin in these, request by request:
  std::vector<Nanos> released_, ready_;  // before the pass and in it
  std::vector<Nanos> free_;              // per place
  Outcome outcome_;
};

}  // namespace tandem
