// Room sim/writers: what `tandem simulate` writes to files beside its result, a file a writer.
//
// --csv: every request of every run as a line of a table.
#include "policies/engine/trace_run.h"
#include "scenarios/trace/request_csv.h"
#include "sim/study/report_writer.h"

namespace tandem::csv {
namespace {

class Csv final : public ReportWriter {
 public:
  Csv(const std::filesystem::path& file, const Scenario& scenario) : writer_(file, scenario) {}

  SpanSink& BeginRun(const PreparedRun& run, Engine) override {
    return writer_.BeginRun(run.spec->label,
                            [&problem = *run.problem](const Span& span) { return JoulesOf(problem, span); });
  }
  void EndRun(const Outcome&) override { writer_.EndRun(); }
  void Close() override { writer_.Close(); }

 private:
  RequestCsv writer_;
};

bool BeginsAsOurs(std::string_view head) { return head.starts_with("policy,stream,index,model,release_ns"); }

std::unique_ptr<ReportWriter> Open(const std::filesystem::path& file, const Scenario& scenario) {
  return std::make_unique<Csv>(file, scenario);
}

const ReportWriterRegistration kCsv{{.name = "csv",
                                     .summary = "write a table of all requests to this file",
                                     .order = 20,
                                     .kind = {"a table of requests", BeginsAsOurs},
                                     .open = Open}};

}  // namespace
}  // namespace tandem::csv
