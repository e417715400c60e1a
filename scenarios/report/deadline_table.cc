// Which policy meets which stream's deadlines: what one figure over all streams hides.
#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/table.h"
#include "scenarios/report/table.h"

namespace tandem {
namespace {

constexpr std::size_t kMostRows = 40;

bool AnyMissed(const std::vector<Report>& reports, std::size_t stream) {
  return std::any_of(reports.begin(), reports.end(),
                     [&](const Report& report) { return report.streams[stream].missed > 0; });
}

// Name and deadline stand in the first row of a stream.
void AddStreamRows(const std::vector<Report>& reports, std::size_t s, const TimeUnit& unit, Table& table) {
  for (std::size_t p = 0; p < reports.size(); ++p) {
    const StreamReport& stream = reports[p].streams[s];
    const std::string deadline = !stream.has_deadline     ? "-"
                                 : stream.from_end_to_end ? "whole " + unit.Text(stream.deadline)
                                                          : unit.Text(stream.deadline);
    const auto& latency = stream.from_end_to_end ? stream.end_to_end : stream.latency;
    table.Add({p == 0 ? stream.name : "", p == 0 ? deadline : "", reports[p].label,
               stream.has_deadline ? std::to_string(stream.missed) : "-", std::to_string(stream.released),
               LatencyText(latency, &LatencySummary::p99, unit)});
  }
}

}  // namespace

std::string DeadlineTable(const std::vector<Report>& reports, const TimeUnit& unit, std::size_t width) {
  if (reports.size() < 2) return {};
  const std::vector<StreamReport>& streams = reports[0].streams;
  const bool deadlines = std::any_of(streams.begin(), streams.end(),
                                     [](const StreamReport& stream) { return stream.has_deadline; });
  if (!deadlines || streams.size() < 2) return {};
  const bool all = streams.size() * reports.size() <= kMostRows;
  Table table({{"stream", false, true},
               {"deadline", true},
               {"policy", false, true},
               {"missed", true},
               {"of", true},
               {"p99", true}});
  std::int64_t left_out = 0;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    if (all || AnyMissed(reports, s)) {
      AddStreamRows(reports, s, unit, table);
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
