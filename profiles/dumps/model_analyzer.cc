// Model Analyzer's table of inferences (metrics-model-inference.csv): a row per model, configuration, batch
// and load, with latencies in milliseconds as the client saw them. Of these the mean is taken, else the
// smallest percentile that is there; one request in flight and one instance are what a unit's own time needs.
#include "profiles/base/input_error.h"
#include "profiles/dumps/csv.h"
#include "profiles/dumps/dump.h"

namespace tandem::model_analyzer {
namespace {

std::int64_t CountIn(const CsvTable& table, const CsvRow& row, std::string_view heading) {
  const auto cell = table.Cell(row, heading);
  if (!cell) return 0;
  return DumpMillis(*cell, row.place).count() / 1'000'000;
}

// Headings of one figure, as versions have called it.
std::optional<std::string> CellOf(const CsvTable& table, const CsvRow& row,
                                  std::initializer_list<const char*> headings, std::string& found) {
  for (const char* const heading : headings) {
    if (auto cell = table.Cell(row, heading)) {
      found = heading;
      return cell;
    }
  }
  return std::nullopt;
}

WholeModelRow RowOf(const CsvTable& table, const CsvRow& row) {
  WholeModelRow whole;
  whole.place = row.place;
  whole.model = table.Cell(row, "Model").value_or("");
  whole.batch = CountIn(table, row, table.Has("Batch") ? "Batch" : "Batch Size");
  whole.in_flight = CountIn(table, row, "Concurrency");
  std::string heading;
  const auto server =
      CellOf(table, row, {"Server Compute Infer time (ms)", "Server Compute Infer (ms)"}, heading);
  if (server) {
    whole.time.median = DumpMillis(*server, row.place);
    whole.statistic = "mean of the server's compute infer";
    return whole;
  }
  const auto latency = CellOf(table, row,
                              {"Avg Latency (ms)", "Request Latency (ms)", "p50 Latency (ms)",
                               "p90 Latency (ms)", "p95 Latency (ms)", "p99 Latency (ms)"},
                              heading);
  if (!latency) {
    throw InputError(row.place + ": has no latency; the columns are " + table.Headings());
  }
  whole.with_waiting = true;
  whole.time.median = DumpMillis(*latency, row.place);
  whole.statistic = heading + " as the client saw it";
  return whole;
}

ProfileDump Read(std::string text, const std::string& file) {
  const CsvTable table(text, file);
  ProfileDump dump;
  dump.tool = "Model Analyzer";
  for (const CsvRow& row : table.rows()) dump.whole.push_back(RowOf(table, row));
  if (dump.whole.empty()) throw InputError(file + ": has headings and no row");
  return dump;
}

bool Recognises(std::string_view text) {
  const std::string_view head = Trimmed(text.substr(0, 4096));
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.starts_with("Model,") && line.find("Throughput (infer/sec)") != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"model_analyzer", Recognises, Read}};

}  // namespace
}  // namespace tandem::model_analyzer
