#include "sim/study/traced.h"

#include "policies/engine/trace_run.h"
#include "scenarios/trace/trace.h"

namespace tandem {

std::string TraceOf(const Scenario& scenario, Engine engine, const std::vector<PolicySpec>& policies) {
  std::string text;
  TraceWriter writer(&text, scenario);
  int process = 0;
  for (const PolicySpec& policy : policies) {
    const PreparedRun run = Prepare(scenario, policy);
    RunOptions options;
    TraceRun facts = TraceRunOf(*run.problem, *run.spec, std::string(NameOf(kEngineNames, engine)));
    facts.tables.reset();  // pages draw no arrows
    options.spans = &writer.BeginRun(++process, std::move(facts));
    const Outcome outcome = RunOn(engine, run, options);
    writer.EndRun(outcome.end, outcome.complete);
  }
  writer.Close();
  return text;
}

}  // namespace tandem
