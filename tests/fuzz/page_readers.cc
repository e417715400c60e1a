// What a page is made of: results that commands print with --json, and traces.
#include "profiles/base/files.h"
#include "sim/page/page.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

const std::string kReports =
    R"([{"tandem": "report/1", "label": "fcfs", "policy": "fcfs", "engine": "simgrid", "makespan_ns": 1500000,
  "inferences_per_s": 81.59, "bound": {"makespan_ns": 1200000, "gap": 0.25}, "notes": ["\u00e9t\u00e9 <b>", ""],
  "streams": [{"name": "a", "latency_ns": {"mean": 12, "p50": 10, "p99": 30}, "dropped": 0}],
  "units": [{"name": "gpu", "utilization": 0.94, "loads": null}]},
  {"tandem": "report/1", "label": "best", "makespan_ns": 1300000}])";
const std::string kDecision =
    R"({"tandem": "decision/1", "winner": "best", "sure": true, "reports": [{"tandem": "report/1", "label": "best"}]})";
const std::string kCalibration =
    R"({"tandem": "calibration/1", "policies": [{"label": "eft", "predicted_ns": 10, "measured_ns": 11,
  "error": -0.09, "verdict": "within"}], "warnings": ["the device was lost after 1 run"]})";
const std::string kExplanation =
    R"({"tandem": "explanation/1", "path": [{"unit": "gpu", "from_ns": 0, "to_ns": 10, "why": "copy"}]})";
const std::string kRegression =
    R"({"tandem": "regression/1", "figures": [{"name": "makespan_ns", "kept": 10, "now": 12.5e0, "worse": true}]})";
const std::string kCapacity =
    R"({"tandem": "capacity/1", "asked": "streams.a.rate_hz", "tried": [{"value": 30, "holds": true}, {"value": 60, "holds": false}]})";
const std::string kSummary =
    R"({"tandem": "sweep_summary/1", "axes": ["n"], "rows": [{"n": 10, "policy": "fcfs", "wins": 3}]})";
const std::string kChoices =
    R"([{"tandem": "board_choice/1", "boards": [{"name": "nano"}]}, {"tandem": "state_choice/1", "states": []}])";

FuzzReader Results() {
  FuzzReader reader = {
      "page_results",
      {kReports, kDecision, kCalibration, kExplanation, kRegression, kCapacity, kSummary, kChoices},
      [](const std::string& bytes) {
        CheckShown(JsonDocument::Parse(bytes, "result").root());
        Page page;
        page.results = {bytes, bytes};
        page.files = {"one", "two"};
        PageHtml(page);
      },
      WithValuesChanged};
  reader.damaged = 60;  // a page is long
  return reader;
}
const FuzzReaderRegistration kResults(Results);

FuzzReader Timelines() {
  FuzzReader reader = {"page_trace",
                       {ReadTextFile(TANDEM_TEST_DIR "/good/run.trace.json")},
                       [](const std::string& bytes) {
                         Page page;
                         page.trace = ReadTrace(JsonDocument::Parse(bytes, "trace").root());
                         PageHtml(page);
                       },
                       WithValuesChanged};
  reader.damaged = 60;
  return reader;
}
const FuzzReaderRegistration kTimelines(Timelines);

}  // namespace
}  // namespace tandem
