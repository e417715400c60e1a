// Parts of a report as JSON.
#pragma once

#include <cstdint>
#include <optional>

#include "profiles/base/fields.h"
#include "scenarios/report/latency_summary.h"
#include "scenarios/report/loadgen_verdict.h"
#include "scenarios/report/report.h"

namespace tandem {

inline CodecOf<std::int64_t> Count() { return as::Integer(0, kLongestTime.count()); }
inline CodecOf<double> Figure() { return as::Number(0); }

// LoadGen's own log keys, and how many queries its percentile needs.
const Fields<LoadgenVerdict>& LoadgenFields();
const Fields<ReplicationReport>& ReplicationFields();
const Fields<LimitReport>& LimitFields();
const Fields<StreamReport>& StreamFields();
const Fields<UnitReport>& UnitFields();

using Latency = std::optional<LatencySummary>;
const Fields<Latency>& LatencyFields();

}  // namespace tandem
