// --trace: every run as a process of a trace for ui.perfetto.dev, file kind trace/1.
#include "scenarios/trace/trace.h"

#include "policies/engine/trace_run.h"
#include "scenarios/report/report.h"
#include "sim/study/report_writer.h"
#include "sim/study/trace_draws.h"

namespace tandem::trace {
namespace {

class Trace final : public ReportWriter {
 public:
  Trace(const std::filesystem::path& file, const Scenario& scenario) : writer_(file, scenario) {}

  SpanSink& BeginRun(const PreparedRun& run, Engine engine) override {
    const std::string name(NameOf(kEngineNames, engine));
    return writer_.BeginRun(++runs_, TraceRunOf(run, *run.spec, name));
  }
  void EndRun(const Outcome& outcome) override { writer_.EndRun(outcome.end, outcome.complete); }
  void SetReports(const std::vector<Report>& reports, bool interrupted) override {
    if (reports.empty() || interrupted) return;
    writer_.SetDraws(DrawsForTrace(reports));
    if (reports.size() < 2) return;
    const Objective objective = reports[0].objective;
    const Ranking ranking = RankReports(reports, objective);
    if (ranking.taken) writer_.SetWinner({reports[*ranking.taken].label, objective});
  }
  void Close() override { writer_.Close(); }

 private:
  TraceWriter writer_;
  int runs_ = 0;
};

std::unique_ptr<ReportWriter> Open(const std::filesystem::path& file, const Scenario& scenario) {
  return std::make_unique<Trace>(file, scenario);
}

const ReportWriterRegistration kTrace{{.name = "trace",
                                       .summary = "write a trace for ui.perfetto.dev to this file",
                                       .order = 10,
                                       .kind = {"trace/1"},
                                       .open = Open}};

}  // namespace
}  // namespace tandem::trace
