// Whether runs keep what is asked of them: the limits of a scenario, and conditions of other questions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/scenario/condition.h"

namespace tandem {

struct Report;

// What a limit would have to be relaxed to for somebody to keep all, by runs that were made: whoever has this
// value keeps every other limit.
struct Relaxation {
  double value = 0;       // as the bound is
  std::string policy;     // its label
  bool searched = false;  // by a schedule that it tried, not by the one that it took
};

// A limit's figure as the bound is, nothing where it is not known or nothing completed; and by how much it
// breaks the limit, as ConditionTerm's.
struct LimitFigure {
  std::optional<double> value;
  double excess = 0;
};

// A limit of the scenario, beside what a run has of it.
struct LimitReport {
  ConditionTerm term;
  // What it is judged by: the median over the draws, the run's own figure where there are none.
  std::optional<double> value;
  double excess = 0;
  std::optional<double> kept_share;        // of the draws that keep it; half of them and more: it is kept
  std::optional<LimitFigure> of_run = {};  // the run's own figure, where draws have taken its place
  // SetRelaxations; nothing where somebody keeps all limits, or nobody keeps all others.
  std::optional<Relaxation> relaxation = {};

  bool kept() const { return excess == 0; }
};

// The farthest figure of runs of one scenario with several seeds, of all that the term speaks of: shares over
// all of their requests, other figures their mean. Throws InputError where a figure cannot be told.
double FarthestOf(const ConditionTerm& term, std::span<const Report> runs);

// Of one complete run. Energy that is not known keeps no limit.
std::vector<LimitReport> JudgeLimits(const std::vector<ConditionTerm>& limits, const Report& run);

// Judges the limit at this position by the draws of its run, those that did not come to their end being the
// worst; and by the run again.
void JudgeByDraws(const std::vector<Report>& drawn, std::size_t position, LimitReport& limit);
void JudgeByRun(LimitReport& limit);

// By how much limits are broken, all together, as RoundedExcess; 0: they are kept.
double ExcessOf(const Report& report);

// Of runs of one scenario: do any keep all limits, and which limit would have to be relaxed how far, were it
// the only one?
class NearMisses {
 public:
  void Add(const std::vector<LimitReport>& limits);  // of one run
  void Add(const NearMisses& others);
  bool kept() const { return kept_; }  // a run kept all
  // By position of the limit: of the runs that break it and no other the one that breaks it the least.
  const std::map<std::size_t, LimitReport>& all() const { return least_; }

 private:
  void Take(std::size_t position, const LimitReport& broken);

  bool kept_ = false;
  std::map<std::size_t, LimitReport> least_;
};

// Of the runs, and of what searches among them tried, those that could be relaxed to alone.
void SetRelaxations(std::vector<Report>& reports);

// How many of the limits are kept: "3 of 4".
std::string LimitsKept(const Report& report);

// By limit who keeps it and who does not, with what; where nobody keeps all, what it would have to be relaxed
// to, were it the only one, who comes closest and what would have to be allowed for it.
std::vector<std::string> LimitTexts(const std::vector<Report>& reports);

}  // namespace tandem
