// What a policy has decided before a run begins: a rule, or who runs what in which order. A search finds it,
// a plan file keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "profiles/ids.h"
#include "scenarios/policy_spec.h"

namespace tandem {

// Requests first .. first + count - 1 of the stream, of each the segments segment .. segment + segments - 1,
// request by request. A segment counts from 0 within the stream's cut.
struct PlannedRun {
  static constexpr std::int32_t kAllSegments = 0;

  StreamId stream;
  std::int32_t segment = 0;
  std::int32_t segments = kAllSegments;  // from `segment` on
  std::int64_t first = 0;
  std::int64_t count = 1;
  friend bool operator==(const PlannedRun&, const PlannedRun&) = default;
};

// Per unit what it runs, in this order.
struct FixedSchedule {
  std::vector<std::vector<PlannedRun>> units;
};

struct Decisions {
  Granularity granularity = Granularity::kModel;
  // Per unit what it holds at the start, where that is the policy's choice; nothing: it is not.
  std::vector<std::optional<std::vector<ModelId>>> residents;
  std::shared_ptr<const PolicySpec> rule;         // null: the schedule
  std::shared_ptr<const FixedSchedule> schedule;  // null: the rule
};

}  // namespace tandem
