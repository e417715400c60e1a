// --html: the reports and every run's timeline as a page that needs nothing else.
#include "policies/engine/trace_run.h"
#include "profiles/base/files.h"
#include "scenarios/report/json.h"
#include "sim/study/page_of.h"
#include "sim/study/report_writer.h"
#include "sim/study/traced.h"

namespace tandem::html {
namespace {

class Html final : public ReportWriter {
 public:
  Html(std::filesystem::path file, const Scenario& scenario)
      : file_(std::move(file)), scenario_(scenario), runs_(scenario) {}

  SpanSink& BeginRun(const PreparedRun& run, Engine engine) override {
    return runs_.BeginRun(TraceRunOf(run, *run.spec, std::string(NameOf(kEngineNames, engine))));
  }
  void EndRun(const Outcome& outcome) override { runs_.EndRun(outcome); }
  void SetReports(const std::vector<Report>& reports, bool) override { results_ = {ReportsJson(reports)}; }
  void Close() override {
    Page page = PageOf(scenario_, std::move(results_));
    runs_.MoveTo(page);
    WriteFile(file_, PageHtml(page));
  }

 private:
  std::filesystem::path file_;
  const Scenario& scenario_;
  std::vector<std::string> results_;
  RunsForPage runs_;
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
