#include "sim/study/before_a_run.h"

#include <algorithm>

#include "policies/engine/memory_ledger.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

// Those that search or cut models themselves may take long to be made ready.
bool IsMadeAtOnce(const PolicySpec& policy) {
  return policy.decided || policy.declaration->takes_granularity;
}

void JudgePolicy(const Scenario& scenario, const PolicySpec& policy) {
  if (!IsMadeAtOnce(policy)) {
    ProblemFor(policy, scenario);
    // A search weighs whatever may run anywhere, before it has run anything.
    if (policy.declaration->role == PolicyRole::kSearch) CheckPowerOfAll(scenario);
    return;
  }
  const PreparedRun run = Prepare(scenario, policy);
  const MemoryLedger fits(*run.problem);
}

}  // namespace

BeforeARun JudgeBeforeARun(const Scenario& scenario) {
  BeforeARun judged;
  if (!scenario.costs) {
    judged.not_judged.emplace_back("without a platform and profiles nothing of a run can be judged");
    return judged;
  }
  if (scenario.policies.empty()) {
    judged.not_judged.emplace_back("it names no policies: whether one can run it is not judged");
    return judged;
  }
  const auto note = [&judged](const auto& judge) {
    try {
      judge();
    } catch (const InputError& error) {
      const auto known = std::find(judged.problems.begin(), judged.problems.end(), error.what());
      if (known == judged.problems.end()) judged.problems.emplace_back(error.what());
    }
  };
  note([&] { CheckIdlePower(scenario); });
  std::vector<std::string> left;
  for (const PolicySpec& policy : scenario.policies) {
    if (!IsMadeAtOnce(policy)) left.push_back(Quoted(policy.label));
    note([&] { JudgePolicy(scenario, policy); });
  }
  std::string text = "how long it takes";
  if (!left.empty()) text += ", and what " + Joined(left, ", ") + (left.size() > 1 ? " find" : " finds");
  judged.not_judged.push_back("not judged before a run: " + text);
  return judged;
}

}  // namespace tandem
