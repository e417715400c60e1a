#include "sim/study/as_today.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/parts.h"
#include "sim/study/one_run.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostApplications = 64;  // of one unit; others wait

bool LeavesAlone(const PolicyDeclaration& policy) { return policy.waiting == Waiting::kOwnStream; }

// "38.8 % less", "3.2 % more"; of differences, which stand for shares where a figure may be 0, "12 less".
std::string Less(double by, bool is_share) {
  return (is_share ? PercentInTenths(std::abs(by)) : JsonNumber(std::abs(by))) +
         (by <= 0 ? " less" : " more");
}

}  // namespace

const PolicyDeclaration& PolicyOfToday() {
  return *std::find_if(Policies().begin(), Policies().end(), LeavesAlone);
}

std::vector<PolicySpec> WithToday(const Scenario& scenario, std::vector<PolicySpec> policies) {
  const auto today = std::find_if(policies.begin(), policies.end(),
                                  [](const PolicySpec& policy) { return LeavesAlone(*policy.declaration); });
  if (today != policies.end()) {
    std::rotate(policies.begin(), today, today + 1);
    return policies;
  }
  std::vector<PolicySpec> all = ChoosePolicies(scenario, {std::string(PolicyOfToday().name)});
  all.insert(all.end(), policies.begin(), policies.end());
  return all;
}

void AddUnitOfToday(std::int64_t applications, Platform& platform) {
  std::set<std::int64_t> cores;
  const Unit* like = nullptr;
  for (const Unit& unit : platform.units) {
    if (!unit.On(RunsOn::kHostCores) || unit.cores.empty()) continue;
    if (unit.time_shared) return;
    if (!like) like = &unit;
    cores.insert(unit.cores.begin(), unit.cores.end());
  }
  if (!like) return;
  Unit all = *like;
  all.name = "all-cores";
  for (int more = 2; platform.FindUnit(all.name).valid(); ++more)
    all.name = "all-cores-" + std::to_string(more);
  all.cores.assign(cores.begin(), cores.end());
  all.slots = std::clamp<std::int64_t>(applications, 1, kMostApplications);
  all.time_shared = all.slots > 1;
  all.note = "what applications share that nobody plans for";
  platform.units.push_back(std::move(all));
}

std::string GainOverToday(const CalibrationReport& report) {
  const auto& policies = report.policies;
  const auto is_today = [](const PolicyCalibration& policy) {
    const PolicyDeclaration* known = FindPolicy(policy.policy);
    return known && LeavesAlone(*known);
  };
  const auto today = std::find_if(policies.begin(), policies.end(), is_today);
  if (today == policies.end() || !report.winner.predicted) return {};
  const std::size_t before = static_cast<std::size_t>(today - policies.begin()),
                    named = *report.winner.predicted;
  const PolicyCalibration& winner = policies[named];
  if (named == before) return "no plan is predicted to gain anything over " + today->label;
  const Rounds rounds = ObjectiveRounds(policies, report.objective, report.bars.probability);
  const auto gain = rounds.Larger(named, before);
  if (!gain || !gain->interval) return {};
  const bool shares = rounds.products();
  const auto [low, high] = *gain->interval;
  std::string text = winner.label + " against " + today->label +
                     ", as it is before anybody plans: " + Words(NameOf(kObjectiveNames, report.objective)) +
                     " ";
  if (low <= 0 && high >= 0) {
    text += "that cannot be told apart (" + Less(low, shares) + " to " + Less(high, shares) + ")";
  } else {
    text += Less(gain->value, shares) + " (" + Less(low, shares) + " to " + Less(high, shares) + ")";
  }
  const auto planned = winner.named_by(), as_today = today->named_by();
  if (!planned || !as_today || (shares && *as_today <= 0)) return text;
  const double predicted = shares ? *planned / *as_today - 1 : *planned - *as_today;
  text += ", predicted " + Less(predicted, shares);
  return text;
}

}  // namespace tandem
