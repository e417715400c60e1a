// What became of every request, as a table: one line per request in the order in which they end, quoted as
// RFC 4180 says. A dropped request ends when it is dropped; what is unknown or does not apply is empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/files.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/span.h"

namespace tandem {

// Writes to a temporary file that Close() renames; without it nothing is left. In memory: the requests under
// way. A run may be written by a forked child, BeginRun to EndRun, while the parent waits.
class RequestCsv final : private SpanSink {
 public:
  // Of one span, above idle; nothing: unknown.
  using Joules = std::function<std::optional<double>(const Span&)>;

  // `scenario` has a platform and outlives the writer.
  RequestCsv(const std::filesystem::path& path, const Scenario& scenario);

  SpanSink& BeginRun(std::string policy, Joules joules);  // `policy`: its label
  void EndRun();                                          // requests that have not ended are left out
  void Close();

 private:
  struct UnderWay {
    Nanos first_start{0};
    std::vector<UnitId> units;  // in order of first use
    std::optional<double> joules = 0.0;
  };

  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override;
  void OpenLine(const RequestEnd& end);

  const Scenario* scenario_;
  FileWriter file_;
  std::string policy_;  // as the table has it
  Joules joules_;
  std::map<std::pair<StreamId, std::int32_t>, UnderWay> under_way_;
  UnderWay last_;  // that ended and had spans: those that ran at once with it end right behind it
  std::string line_;
};

}  // namespace tandem
