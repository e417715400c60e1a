// --html: the reports and every run's timeline as a page that needs nothing else.
#include "policies/engine/trace_run.h"
#include "profiles/base/files.h"
#include "scenarios/report/json.h"
#include "scenarios/trace/trace.h"
#include "sim/study/page_of.h"
#include "sim/study/report_writer.h"

namespace tandem::html {
namespace {

class Html final : public ReportWriter {
 public:
  Html(std::filesystem::path file, const Scenario& scenario)
      : file_(std::move(file)), scenario_(scenario), trace_(&trace_text_, scenario) {}

  SpanSink& BeginRun(const PreparedRun& run, Engine engine) override {
    const std::string name(NameOf(kEngineNames, engine));
    TraceRun facts = TraceRunOf(*run.problem, *run.spec, name);
    facts.tables.reset();  // the page draws no arrows
    return trace_.BeginRun(++runs_, std::move(facts));
  }
  void EndRun(const Outcome& outcome) override { trace_.EndRun(outcome.end, outcome.complete); }
  void SetReports(const std::vector<Report>& reports) override { results_ = {ReportsJson(reports)}; }
  void Close() override {
    trace_.Close();
    Page page = PageOf(scenario_, std::move(results_));
    page.trace = std::move(trace_text_);
    WriteFile(file_, PageHtml(page));
  }

 private:
  std::filesystem::path file_;
  const Scenario& scenario_;
  std::string trace_text_;
  std::vector<std::string> results_;
  TraceWriter trace_;
  int runs_ = 0;
};

std::unique_ptr<ReportWriter> Open(const std::filesystem::path& file, const Scenario& scenario) {
  return std::make_unique<Html>(file, scenario);
}

const ReportWriterRegistration kHtml{{.name = "html",
                                      .summary = "write a page of HTML that needs nothing else to this file",
                                      .order = 5,
                                      .kind = kHtmlPage,
                                      .open = Open}};

}  // namespace
}  // namespace tandem::html
