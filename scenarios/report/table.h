// Reports as tables for a terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/base/figures.h"
#include "scenarios/report/report.h"

namespace tandem {

// One line per policy, those that are best by the objective marked, and in words what the columns cannot say:
// which is best by what else, what was cut short, shown beside, invalid or unknown.
std::string ReportTable(const std::vector<Report>& reports, std::size_t width);

// Per stream and policy the p99 latency; where streams have deadlines the missed requests, where they leave
// some out the drops and the age of results, where batches form their mean size. Empty where there is one
// policy, or one stream with nothing but a deadline, of which other tables tell. It is part of ReportTable.
std::string StreamsTable(const std::vector<Report>& reports, const TimeUnit& unit, std::size_t width);

// Of reports with replications: means and percentiles with their intervals, how often each policy wins, and
// which cannot be told apart.
std::string ReplicationTable(const std::vector<Report>& reports, std::size_t width);

// Requests a batch; nothing where the stream's run one by one.
std::optional<double> MeanBatch(const StreamReport& stream);

// A figure of the objective in a table of such: times in `unit`, others as they are; "-": it is not known.
std::string ObjectiveCell(std::optional<double> value, Objective objective, const TimeUnit& unit);
// How far the farther end of its interval is from a figure of the report: "3.3%"; of counts, and where the
// figure is 0, the ends themselves. By default its objective's.
std::string IntervalCell(const Report& report, Objective of);
std::string IntervalCell(std::optional<double> value, const std::optional<DrawnFigure<double>>& drawn,
                         Objective of);
std::string IntervalCell(const Report& report);
// The objective's median over the draws.
std::string MedianCell(const Report& report, const TimeUnit& unit);

// Per unit and per stream.
std::string ReportDetails(const Report& report, std::size_t width);

}  // namespace tandem
