#include "tests/support/judged_run.h"

#include "policies/engine/trace_run.h"
#include "policies/engine/virtual_runner.h"
#include "scenarios/trace/read.h"
#include "tests/support/temp_folder.h"

namespace tandem {

TraceJudgement JudgeRun(const Prepared& made, const PolicySpec& spec, const Scenario& scenario,
                        const Scenario& judged) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "run.trace.json";
  TraceWriter trace(file, scenario);
  RunOptions options;
  options.spans = &trace.BeginRun(1, TraceRunOf(made, spec, "virtual"));
  const Outcome outcome = RunVirtual(*made.problem, *made.policy, options);
  trace.EndRun(outcome.end, outcome.complete);
  trace.Close();
  return CheckTrace(judged, ReadTraceFile(file));
}

}  // namespace tandem
