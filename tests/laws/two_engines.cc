#include "tests/laws/two_engines.h"

#include <algorithm>
#include <array>

#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "sim/engine/simgrid_runner.h"
#include "tests/support/recorded_run.h"

namespace tandem {
namespace {

template <class Engine>
std::string Told(const Prepared& made, Engine engine, TwoRuns& runs) {
  RecordedRun run;
  RunOptions options;
  options.spans = &run;
  try {
    const Outcome outcome = engine(*made.problem, *made.policy, options);
    run.Add(outcome);
    runs.makespan = outcome.makespan();
  } catch (const InputError& error) {
    runs.makespan.reset();
    return run.text() + error.what();
  }
  runs.spans += run.spans();
  return run.text();
}

}  // namespace

std::string PolicyInTurn(std::uint64_t turn, const Scenario& scenario) {
  const std::uint64_t policies = Policies().size();
  const PolicyDeclaration& policy = Policies()[turn % policies];
  std::string text = R"({"name": ")" + std::string(policy.name) + "\"";
  if (policy.takes_granularity) {
    text += R"(, "granularity": ")" + std::string(kGranularityNames[turn / policies % 3].name) + "\"";
  }
  const auto keys = policy.keys.fields ? policy.keys.fields().Keys() : std::vector<std::string_view>();
  if (std::find(keys.begin(), keys.end(), "evaluations") != keys.end()) text += R"(, "evaluations": 10)";
  if (policy.name == "single") text += R"(, "unit": "u0")";  // which runs everything
  if (policy.name == "dmda" && turn % 2 == 0) text += R"(, "sorted": true)";
  if (policy.name == "eft" && turn % 2 == 0) text += R"(, "learns": 0.4)";
  if (policy.name == "layer_type") {
    text += R"(, "map": {"*": )" + JsonStrings(scenario.platform->UnitNames()) + "}, \"queue\": \"" +
            std::array{"fifo", "task_order", "sjf"}[turn / policies % 3] + '"';
  }
  return text + "}";
}

std::string TwoRuns::FirstDifference() const {
  const std::string &a = in_virtual_time, &b = on_simgrid;
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  const auto line = static_cast<std::size_t>(at - a.begin());
  const std::size_t start = a.rfind('\n', line == 0 ? 0 : line - 1) + 1;
  return "virtual:\n" + a.substr(start, 200) + "\nSimGrid:\n" + b.substr(std::min(start, b.size()), 200);
}

TwoRuns OnBoth(const Prepared& one, const Prepared& other) {
  TwoRuns runs;
  runs.on_simgrid = Told(one, &RunOnSimGrid, runs);
  runs.in_virtual_time = Told(other, &RunVirtual, runs);
  return runs;
}

}  // namespace tandem
