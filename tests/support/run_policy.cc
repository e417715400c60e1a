#include "tests/support/run_policy.h"

#include "profiles/program/shipped.h"

namespace tandem {

Outcome RunPolicy(const Scenario& scenario, const std::string& policy, const RunOptions& options) {
  const JsonDocument document = JsonDocument::Parse(policy, "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  return RunVirtual(*made.problem, *made.policy, options);
}

Outcome RunShipped(const std::string& scenario, const std::string& policy) {
  return RunPolicy(ReadScenarioFile(FindFile(scenario, "", "scenarios", ".scenario.json")), policy);
}

}  // namespace tandem
