// perf_analyzer's tables (-f FILE.csv): a row per load. Where the server tells what it computed, its input,
// inference and output together are the model's time, all in microseconds; else the median or the mean of
// what the client saw is, of a row with one request in flight.
#include "profiles/base/input_error.h"
#include "profiles/dumps/csv.h"
#include "profiles/dumps/dump.h"

namespace tandem::perf_analyzer {
namespace {

// Whole microseconds; of milliseconds three decimals more.
Nanos MicrosOf(const std::string& cell, const std::string& place) {
  return Nanos{DumpMillis(cell, place).count() / 1000};
}

std::int64_t CountOf(const std::string& cell, const std::string& place) {
  const Nanos millis = DumpMillis(cell, place);  // a number that is not negative
  return millis.count() / 1'000'000;
}

WholeModelRow RowOf(const CsvTable& table, const CsvRow& row) {
  WholeModelRow whole;
  whole.place = row.place;
  if (const auto in_flight = table.Cell(row, "Concurrency")) whole.in_flight = CountOf(*in_flight, row.place);
  if (const auto infer = table.Cell(row, "Server Compute Infer")) {
    Nanos time = MicrosOf(*infer, row.place);
    for (const char* const part : {"Server Compute Input", "Server Compute Output"}) {
      if (const auto cell = table.Cell(row, part)) time += MicrosOf(*cell, row.place);
    }
    whole.time.median = time;
    whole.statistic = "mean of the server's compute input, infer and output";
    return whole;
  }
  whole.with_waiting = true;
  for (const char* const heading : {"p50 latency", "Avg latency"}) {
    const auto cell = table.Cell(row, heading);
    if (!cell) continue;
    whole.time.median = MicrosOf(*cell, row.place);
    whole.statistic = std::string(heading) + " as the client saw it";
    return whole;
  }
  throw InputError(row.place +
                   ": has no time that is the model's: none of the columns Server Compute Infer, p50 "
                   "latency, Avg latency is filled");
}

ProfileDump Read(std::string text, const std::string& file) {
  const CsvTable table(text, file);
  ProfileDump dump;
  dump.tool = "perf_analyzer";
  for (const CsvRow& row : table.rows()) dump.whole.push_back(RowOf(table, row));
  if (dump.whole.empty()) throw InputError(file + ": has headings and no row");
  return dump;
}

bool Recognises(std::string_view text) {
  const std::string_view head = Trimmed(text.substr(0, 4096));
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.find("Inferences/Second") != std::string_view::npos && line.find(',') != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"perf_analyzer", Recognises, Read}};

}  // namespace
}  // namespace tandem::perf_analyzer
