#include <algorithm>
#include <array>
#include <cmath>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/statistics.h"
#include "scenarios/calibration/report.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

// How well the predicted winner keeps the scenario's limits.
std::string LimitsText(const CalibrationReport& report) {
  const PolicyCalibration& named = report.policies[*report.winner.predicted];
  const PolicyCalibration& best = report.policies[*report.winner.measured];
  const std::vector<PolicyCalibration::Run> runs = named.Counting();
  const auto all = static_cast<std::int64_t>(runs.size());
  const auto breaks = std::ranges::count_if(runs, [](const auto& run) { return run.excess.value_or(0) > 0; });
  if (breaks == 0) {
    return named.label + " keeps the scenario's limits in " + Counted(all, "run") + ", too few to be sure";
  }
  const bool both = &best != &named && best.excess().value_or(0) > 0;
  return named.label + " breaks the scenario's limits in " + std::to_string(breaks) + " of " +
         Counted(all, "run") + (both ? ", and by more than " + best.label : "");
}

// "fcfs alone was measured, so that ...": where fewer than two have runs that count; empty elsewhere.
std::string NoRivalText(const CalibrationReport& report) {
  std::int64_t measured = 0, counting = 0;
  std::string label;  // of the last that counts
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.beside || !policy.measured_objective()) continue;
    ++measured;
    if (!policy.counts()) continue;
    ++counting;
    label = policy.label;
  }
  if (counting == 0) return "Who wins cannot be told: none of the runs counts.";
  if (counting > 1) return {};
  return label + " alone " +
         (report.policies.size() == 1 ? "was run"
          : measured == 1             ? "was measured"
                                      : "has runs that count") +
         ", so that nothing can be said of winners.";
}

// Why it cannot be told how much the predicted winner loses, where it counts: what would tell.
std::string WhatWouldTell(const CalibrationReport& report) {
  if (report.winner.regret_interval) return MoreRuns(report.winner.runs);
  const bool several = std::ranges::all_of(report.policies, [](const PolicyCalibration& policy) {
    return policy.beside || !policy.counts() || policy.Counting().size() > 1;
  });
  if (several) return "how many runs would tell is not known.";
  const bool all = std::ranges::none_of(report.policies, &PolicyCalibration::disturbed);
  return all ? "it takes two runs of each." : "it takes two runs of each that count.";
}

std::string WinnerText(const CalibrationReport& report) {
  const WinnerCalibration& winner = report.winner;
  if (!winner.predicted || !winner.measured) {
    return "No winner can be named: no policy has both a prediction and a complete run to judge it by.";
  }
  if (std::string none = NoRivalText(report); !none.empty()) return none;
  const std::string& predicted = report.policies[*winner.predicted].label;
  const std::string& measured = report.policies[*winner.measured].label;
  const std::string bar = PercentInTenths(report.bars.regret);
  const bool same = winner.predicted == winner.measured, sure = winner.verdict == BarVerdict::kWithin;
  const bool tie =
      report.policies[*winner.predicted].named_by() == report.policies[*winner.measured].named_by();
  const std::string taken = !winner.instead_of
                                ? predicted
                                : predicted + ", taken as simpler than " +
                                      report.policies[*winner.instead_of].label + " and not told from it,";
  const std::string names =
      same && sure ? taken + " wins, as predicted"
      : same       ? taken + " was measured best, as predicted"
                   : taken + (tie ? " and " + measured + " were predicted to tie" : " was predicted to win") +
                   " and " + measured + " was measured best";
  if (!report.policies[*winner.predicted].counts()) {
    return names + "; whether " + predicted + " loses more than " + bar +
           " cannot be told: none of its runs counts.";
  }
  const std::string behind =
      predicted + (winner.regret ? " is behind by " + Share(winner.regret) : " is far behind");
  if (winner.limits == BarVerdict::kOutside) {
    return "WRONG WINNER: " + names + "; " + LimitsText(report) + ".";
  }
  if (winner.limits == BarVerdict::kUnknown && winner.verdict == BarVerdict::kUnknown) {
    return names + (winner.regret.value_or(0) > 0 ? "; " + behind : "") + "; " + LimitsText(report) +
           ", so that who wins cannot be told" +
           (winner.runs.needed || winner.runs.too_many
                ? ", nor whether it loses more than " + bar + ": " + MoreRuns(winner.runs)
                : ".");
  }
  switch (winner.verdict) {
    case BarVerdict::kWithin:
      return names + ": it loses at most " + bar + ".";
    case BarVerdict::kOutside:
      return "WRONG WINNER: " + names + "; " + behind + ", for sure by more than " + bar + ".";
    default:
      return names + (winner.regret.value_or(0) > 0 ? "; " + behind : "") + "; whether it loses more than " +
             bar + " cannot be told: " + WhatWouldTell(report);
  }
}

// Is the best better than a policy by more than the bar of losses? Those two have rounds in common.
BarVerdict GainOver(std::size_t policy, const Rounds& rounds, const CalibrationReport& report) {
  const std::size_t best = *report.winner.measured;
  const bool higher = HigherIsBetter(report.objective);
  const auto gained = higher ? rounds.Larger(best, policy) : rounds.Larger(policy, best);
  if (rounds.products()) return VerdictOfLoss(gained->interval, report.bars.regret);
  // Then it is a difference; of 0 there is no share.
  return VerdictOfLoss(gained->interval, report.bars.regret * *report.policies[best].measured_objective());
}

// The search and the simplest rule, where they do not come out as their names promise.
std::string HonestText(const CalibrationReport& report) {
  if (!report.winner.measured) return {};
  const PolicyCalibration& best = report.policies[*report.winner.measured];
  const Rounds rounds = ObjectiveRounds(report.policies, report.objective, report.bars.probability);
  std::string text;
  for (std::size_t p = 0; p < report.policies.size(); ++p) {
    const PolicyCalibration& policy = report.policies[p];
    const auto measured = policy.measured_objective(), top = best.measured_objective();
    if (policy.beside || !measured || !top || &policy == &best) continue;
    if (policy.excess() != best.excess()) continue;  // then it is limits that tell them apart
    const auto behind = Behind(*measured, *top, report.objective);
    const auto apart = ToldApart(rounds, p, *report.winner.measured);
    if (!behind || !apart) continue;
    const PolicyDeclaration* declared = FindPolicy(policy.policy);
    const PolicyRole role = declared ? declared->role : PolicyRole::kRule;
    if (role == PolicyRole::kSearch && *apart) {
      text += " The search, " + policy.label + ", loses to plain " + best.label + " here, by " +
              Share(*behind) + ".";
    }
    if (role == PolicyRole::kBaseline && !*apart) {
      text += " Plain " + policy.label + " cannot be told from " + best.label +
              (GainOver(p, rounds, report) == BarVerdict::kWithin
                   ? ", which gains nothing that was measured."
                   : "; whether that gains anything cannot be told by so many runs.");
    }
  }
  return text;
}

std::string CountText(const std::vector<const Judgement*>& figures) {
  std::array<std::int64_t, kBarVerdictNames.size()> counts{};
  for (const Judgement* figure : figures) ++counts[static_cast<std::size_t>(figure->verdict)];
  std::string text = std::to_string(counts[0]) + " of " + std::to_string(figures.size()) + " within it";
  if (counts[1] > 0) text += ", " + std::to_string(counts[1]) + " OUTSIDE";
  if (counts[2] > 0) text += ", " + std::to_string(counts[2]) + " cannot be told";
  return text;
}

// Errors of makespans: how large they are, and how many of them are within the bar.
class MakespanErrors {
 public:
  void Add(const PolicyCalibration& policy, std::optional<double> error, const Judgement& judged) {
    if (!error) return;
    sizes_.push_back(std::abs(*error));
    judged_.push_back(&judged);
    if (worst_ && std::abs(worst_error_) >= sizes_.back()) return;
    worst_ = &policy;
    worst_error_ = *error;
  }
  bool empty() const { return sizes_.empty(); }
  const std::vector<const Judgement*>& judged() const { return judged_; }
  // "2.2% (median of the policies), at worst 6.8% too short (eft)"; not empty. Of two in the middle it is the
  // larger: half of the policies are predicted within it.
  std::string Text() const {
    return Share(ValueAtRank(sizes_, sizes_.size() / 2)) + " (median of the policies), at worst " +
           Share(std::abs(worst_error_)) + " too " + (worst_error_ < 0 ? "short" : "long") + " (" +
           worst_->label + ")";
  }

 private:
  std::vector<double> sizes_;
  std::vector<const Judgement*> judged_;
  const PolicyCalibration* worst_ = nullptr;
  double worst_error_ = 0;
};

std::string ErrorText(const CalibrationReport& report) {
  MakespanErrors errors;
  for (const PolicyCalibration& policy : report.policies) {
    if (!policy.counts()) continue;
    errors.Add(policy, policy.makespan()->error, policy.of_makespan);
  }
  if (errors.empty()) return {};
  return " Makespans are predicted within " + errors.Text() + "; the bar is " +
         PercentInTenths(report.bars.figure) + ": " + CountText(errors.judged()) +
         NeededText(errors.judged()) + ".";
}

// What was known before the runs, where that is something else.
std::string PlannedText(const CalibrationReport& report) {
  MakespanErrors errors;
  for (const PolicyCalibration& policy : report.policies) {
    if (!policy.counts() || !policy.planned) continue;
    errors.Add(policy, TimeError::Of(policy.planned->time, {policy.makespan()->measured}).error,
               policy.planned->judged);
  }
  if (errors.empty()) return {};
  const std::string covered = report.planned_coverage ? "; " + Share(*report.planned_coverage) +
                                                            " of the medians lie in the intervals of then"
                                                      : "";
  return " As planned, before the runs, they were predicted within " + errors.Text() + ": " +
         CountText(errors.judged()) + covered + ".";
}

std::string TailText(const CalibrationReport& report) {
  std::vector<const Judgement*> judged;
  for (const LatencyCalibration& latency : report.latencies) {
    const auto policy = std::ranges::find(report.policies, latency.label, &PolicyCalibration::label);
    if (policy == report.policies.end() || policy->counts()) judged.push_back(&latency.judged.back());
  }
  if (judged.empty()) return {};
  return " Of p99 latencies the bar is " + PercentInTenths(report.bars.percentile) + ": " +
         CountText(judged) + NeededText(judged) + ".";
}

std::string TrustText(const CalibrationReport& report) {
  std::string text;
  std::vector<std::string> wrong, missing, without;
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.correct == false) wrong.push_back(policy.label);
    if (policy.runs.empty()) missing.push_back(policy.label);
    if (!policy.runs.empty() && policy.correct != false && !policy.counts()) without.push_back(policy.label);
  }
  if (!wrong.empty()) {
    text += " WRONG OUTPUTS under " + Joined(wrong) + ": " + (wrong.size() == 1 ? "its" : "their") +
            " times count for nothing.";
  }
  if (!missing.empty()) text += " Not measured: " + Joined(missing) + ".";
  std::int64_t disturbed = 0, runs = 0;
  for (const PolicyCalibration& policy : report.policies) {
    disturbed += policy.disturbed();
    runs += static_cast<std::int64_t>(policy.runs.size());
  }
  if (disturbed > 0) {
    text += " " + std::to_string(disturbed) + " of " + std::to_string(runs) +
            " runs do not count: others had the machine meanwhile, or heat held its clocks back.";
  }
  if (!without.empty()) {
    text += " Nothing is judged of " + Joined(without) + ": none of " +
            (without.size() == 1 ? "its" : "their") + " runs counts.";
  }
  return text;
}

}  // namespace

std::string CalibrationVerdict(const CalibrationReport& report) {
  return WinnerText(report) + HonestText(report) + ErrorText(report) + PlannedText(report) +
         TailText(report) + TrustText(report);
}

}  // namespace tandem
