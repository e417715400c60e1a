#include <cmath>

#include "profiles/base/figures.h"
#include "profiles/base/statistics.h"
#include "scenarios/calibration/report.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

std::string WinnerText(const CalibrationReport& report) {
  const WinnerCalibration& winner = report.winner;
  if (!winner.predicted || !winner.measured) {
    return "No winner can be named: no policy has both a prediction and a complete run to judge it by.";
  }
  const std::string& predicted = report.policies[*winner.predicted].label;
  const std::string& measured = report.policies[*winner.measured].label;
  if (report.policies.size() == 1)
    return predicted + " alone was run, so that nothing can be said of winners.";
  if (winner.predicted == winner.measured) return predicted + " wins, as predicted.";
  const std::string behind = winner.regret ? Share(*winner.regret) + " behind" : "far behind";
  const bool tie = report.policies[*winner.predicted].predicted_objective ==
                   report.policies[*winner.measured].predicted_objective;
  const std::string names = predicted +
                            (tie ? " and " + measured + " were predicted to tie" : " was predicted to win") +
                            " and " + measured + " was measured best; " + predicted + " is " + behind;
  if (winner.unknown) return names + ": whether that is more than chance cannot be told from one run.";
  if (!winner.spread) {
    return (winner.wrong ? "WRONG WINNER: " + names + ", by more than" : names + ", by no more than") +
           " their repeated runs differ.";
  }
  if (winner.wrong) return "WRONG WINNER: " + names + ", the spread is " + Share(winner.spread) + ".";
  return names + ", within the spread of " + Share(winner.spread) + ": either will do.";
}

// The search and the simplest rule, where they do not come out as their names promise.
std::string HonestText(const CalibrationReport& report) {
  if (!report.winner.measured) return {};
  const PolicyCalibration& best = report.policies[*report.winner.measured];
  std::string text;
  for (const PolicyCalibration& policy : report.policies) {
    const auto measured = policy.measured_objective(), top = best.measured_objective();
    if (policy.beside || !measured || !top || &policy == &best) continue;
    const auto behind = Behind(*measured, *top, report.objective);
    const auto apart = ToldApart(policy, best);
    if (!behind || !apart) continue;
    const PolicyDeclaration* declared = FindPolicy(policy.policy);
    const PolicyRole role = declared ? declared->role : PolicyRole::kRule;
    if (role == PolicyRole::kSearch && *apart) {
      text += " The search, " + policy.label + ", loses to plain " + best.label + " here, by " +
              Share(*behind) + ".";
    }
    if (role == PolicyRole::kBaseline && !*apart) {
      text += " Plain " + policy.label + " does as well within the spread: " + best.label +
              " gains nothing that was measured.";
    }
  }
  return text;
}

std::string ErrorText(const CalibrationReport& report) {
  std::vector<double> errors, spreads;
  const PolicyCalibration* worst = nullptr;
  double worst_error = 0;
  for (const PolicyCalibration& policy : report.policies) {
    const auto makespan = policy.makespan();
    if (!makespan || !makespan->error) continue;
    errors.push_back(std::abs(*makespan->error));
    if (makespan->spread) spreads.push_back(*makespan->spread);
    if (worst && std::abs(worst_error) >= errors.back()) continue;
    worst = &policy;
    worst_error = *makespan->error;
  }
  if (!worst) return {};
  std::string text = " Makespans are predicted within " + Share(LowerMedian(errors)) +
                     " (median of the policies), at worst " + Share(std::abs(worst_error)) + " too " +
                     (worst_error < 0 ? "short" : "long") + " (" + worst->label + ")";
  if (!spreads.empty()) text += "; repeated runs differ by " + Share(LowerMedian(spreads));
  return text + ".";
}

std::string TrustText(const CalibrationReport& report) {
  std::string text, wrong, missing;
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.correct == false) wrong += (wrong.empty() ? "" : ", ") + policy.label;
    if (policy.runs.empty()) missing += (missing.empty() ? "" : ", ") + policy.label;
  }
  if (!wrong.empty()) text += " WRONG OUTPUTS under " + wrong + ": its times count for nothing.";
  if (!missing.empty()) text += " Not measured: " + missing + ".";
  return text;
}

}  // namespace

std::string CalibrationVerdict(const CalibrationReport& report) {
  return WinnerText(report) + HonestText(report) + ErrorText(report) + TrustText(report);
}

}  // namespace tandem
