// Which policy meets which stream's deadlines, drops how much of it and makes which batches of it: what one
// figure over all streams hides.
#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/table.h"
#include "scenarios/report/table.h"

namespace tandem {
namespace {

constexpr std::size_t kMostRows = 40;

// Which columns say anything.
struct StreamColumns {
  bool deadlines = false, drops = false, skips = false, ages = false, batches = false;
};

StreamColumns StreamColumnsOf(const std::vector<Report>& reports) {
  StreamColumns columns;
  for (const Report& report : reports) {
    for (const StreamReport& stream : report.streams) {
      columns.deadlines = columns.deadlines || stream.has_deadline;
      columns.drops = columns.drops || stream.may_drop;
      columns.skips = columns.skips || stream.skipped;
      columns.ages = columns.ages || stream.age;
      columns.batches = columns.batches || !stream.batches.empty();
    }
  }
  return columns;
}

Table EmptyStreamsTable(const StreamColumns& columns) {
  std::vector<Table::Column> all = {{"stream", false, true}};
  if (columns.deadlines) all.push_back({"deadline", true});
  all.push_back({"policy", false, true});
  if (columns.deadlines) all.push_back({"missed", true});
  if (columns.drops) all.push_back({"dropped", true});
  all.push_back({"of", true});
  if (columns.drops) all.push_back({"drops/s", true});
  if (columns.skips) all.push_back({"skipped", true});
  all.push_back({"p99", true});
  if (columns.ages) all.push_back({"p99 age", true});
  if (columns.batches) all.push_back({"batch", true});
  return Table(all);
}

bool SaysMore(const std::vector<Report>& reports, std::size_t stream) {
  return std::any_of(reports.begin(), reports.end(), [&](const Report& report) {
    return report.streams[stream].missed > 0 || !report.streams[stream].batches.empty();
  });
}

// Name and deadline stand in the first row of a stream.
void AddStreamRows(const std::vector<Report>& reports, std::size_t s, const StreamColumns& columns,
                   const TimeUnit& unit, Table& table) {
  for (std::size_t p = 0; p < reports.size(); ++p) {
    const StreamReport& stream = reports[p].streams[s];
    const std::string deadline = !stream.has_deadline     ? "-"
                                 : stream.from_end_to_end ? "whole " + unit.Text(stream.deadline)
                                                          : unit.Text(stream.deadline);
    const auto& latency = stream.from_end_to_end ? stream.end_to_end : stream.latency;
    std::vector<std::string> row = {p == 0 ? stream.name : ""};
    if (columns.deadlines) row.push_back(p == 0 ? deadline : "");
    row.push_back(reports[p].label);
    if (columns.deadlines) row.push_back(stream.has_deadline ? std::to_string(stream.missed) : "-");
    if (columns.drops) row.push_back(stream.may_drop ? std::to_string(stream.dropped) : "-");
    row.push_back(std::to_string(stream.released));
    if (columns.drops) row.push_back(stream.may_drop ? Short(stream.dropped_per_s) : "-");
    if (columns.skips) row.push_back(stream.skipped ? std::to_string(*stream.skipped) : "-");
    row.push_back(LatencyText(latency, &LatencySummary::p99, unit));
    if (columns.ages) row.push_back(LatencyText(stream.age, &LatencySummary::p99, unit));
    if (columns.batches) row.push_back(Short(MeanBatch(stream)));
    table.Add(std::move(row));
  }
}

}  // namespace

std::optional<double> MeanBatch(const StreamReport& stream) {
  if (stream.batches.empty()) return std::nullopt;
  double requests = 0, batches = 0;
  for (const BatchSize& of : stream.batches) {
    requests += static_cast<double>(of.size) * static_cast<double>(of.count);
    batches += static_cast<double>(of.count);
  }
  return requests / batches;
}

std::string StreamsTable(const std::vector<Report>& reports, const TimeUnit& unit, std::size_t width) {
  if (reports.size() < 2) return {};
  const std::size_t streams = reports[0].streams.size();
  const StreamColumns columns = StreamColumnsOf(reports);
  if (!(columns.deadlines && streams > 1) && !columns.ages && !columns.batches) return {};
  const bool all = streams * reports.size() <= kMostRows;
  Table table = EmptyStreamsTable(columns);
  std::int64_t left_out = 0;
  for (std::size_t s = 0; s < streams; ++s) {
    if (all || SaysMore(reports, s)) {
      AddStreamRows(reports, s, columns, unit, table);
    } else {
      ++left_out;
    }
  }
  const std::string text = "\n" + table.Text(width);
  if (left_out == 0) return text;
  return text +
         Wrapped(Grouped(left_out) + " streams of which no request is missed are not shown; --json has all",
                 width);
}

}  // namespace tandem
