// What draws say of a run's figures: how far they may lie from what is predicted, and how sure it is that one
// policy is better than another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/report/latency_summary.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/replication.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

struct Report;

// A figure over the draws: the ends of its interval and its median.
template <class Value>
struct DrawnFigure {
  Value low{}, median{}, high{};
};

struct XrbenchDraws {
  DrawnFigure<double> real_time;
  std::optional<DrawnFigure<double>> energy;
  DrawnFigure<double> qoe;
};

struct StageDraws {
  DrawnFigure<LatencySummary> waiting, work;
};

struct StreamDraws {
  DrawnFigure<double> throughput_per_s;
  DrawnFigure<std::int64_t> missed;
  std::optional<DrawnFigure<LatencySummary>> latency, end_to_end, age;
  DrawnFigure<std::int64_t> dropped;
  std::optional<DrawnFigure<double>> slowdown;
  DrawnFigure<double> dropped_per_s, dropped_share;
  std::optional<DrawnFigure<LatencySummary>> drop_age;  // none unless every draw drops some
  std::optional<DrawnFigure<double>> energy_above_idle_j, energy_above_idle_per_inference_j;
  std::optional<XrbenchDraws> xrbench;
  std::vector<StageDraws> stages;     // as the stream's
  std::optional<double> valid_share;  // of the draws: LoadGen calls them VALID
};

struct UnitDraws {
  DrawnFigure<Nanos> busy;
  DrawnFigure<double> utilization;
  std::optional<DrawnFigure<double>> energy_j;
};

struct ReportDraws {
  double probability = kUsualInterval;  // that a figure lies in its interval
  std::int64_t runs = 0;
  DrawnFigure<Nanos> makespan;
  DrawnFigure<double> throughput_per_s;
  DrawnFigure<std::int64_t> missed;
  std::optional<DrawnFigure<double>> energy_j, energy_per_inference_j;
  DrawnFigure<std::int64_t> dropped;
  std::optional<DrawnFigure<LatencySummary>> latency;
  std::optional<DrawnFigure<double>> slowdown, balanced_gain;  // as the objectives
  std::optional<DrawnFigure<double>> xrbench_overall;
  std::optional<DrawnFigure<double>> objective;
  std::vector<double> objectives;         // one per draw; none unless every draw has it
  std::vector<double> excesses;           // the same of limits, as ExcessOf; none where there are none
  std::vector<TieFigures> ties;           // one per draw
  std::optional<double> win_probability;  // SetWinProbabilities

  std::optional<Interval> ObjectiveInterval() const;
  Interval MakespanInterval() const;
};

// So many draws have the ends of an interval of this probability among them; and how many are taken.
std::int64_t LeastDrawsFor(double probability);
std::int64_t DrawsFor(double probability);
// Where in so many ordered values, from 0, the interval begins; it ends as far from the other end. The next
// value is as likely to fall between any two that follow each other.
std::size_t FirstRank(std::size_t draws, double probability);
// Of a figure that came out so in each draw, at least one.
DrawnFigure<double> FigureOver(std::vector<double> drawn, double probability);
DrawnFigure<Nanos> FigureOver(std::vector<Nanos> drawn, double probability);
// What `drawn`, LeastDrawsFor(probability) reports or more of one run, say of it, its streams and its units;
// its limits are judged by them from then on.
void SetDraws(const std::vector<Report>& drawn, double probability, Report& report);
// What is predicted is the run as it came out, every task at its median. Of skewed times nearly all draws may
// take longer: their intervals then begin at the figure.
void CoverFigures(Report& report);
// The draws are of the exact engines. By how far the figures of both physics are apart, where both are known,
// their intervals are longer to that side: by the fluid engine draws would scatter around its figure as much.
void AddContention(Report& report);
// What is predicted is the medians over the draws, in place of what the run came out as.
void TakeMedians(Report& report);
// What the draws say of what the objective compares; nothing where it is not known of every draw.
std::optional<DrawnFigure<double>> DrawnOf(const Report& report, Objective objective);
// The median of it.
std::optional<double> DrawnMedian(const Report& report, Objective objective);
// Leaves what the draws say out: `why` there is nothing to say.
void ForgetDraws(const std::string& why, Report& report);

// In what share of the draws no other is better than each: limits count before the objective. Draw for draw
// they are of one luck, and all have as many.
std::vector<double> WinProbabilities(const std::vector<const ReportDraws*>& all, bool higher_is_better);
// Of the policies that can win by the objective, and of those that keep limits in some draws alone where in
// one of these they are the best. Nothing where one of the former has no draws: then all say whose are
// missing.
void SetWinProbabilities(std::vector<Report>& reports, Objective objective);

// Another policy cannot be told from the winner where it is better in at least such a share of the draws, and
// in the mean no worse than noise explains.
inline constexpr double kToldApart = 0.1;
// By how much it is worse, draw for draw: in the mean by no more than half of the interval of these
// differences, of the usual probability, whatever is shown? What both have of the same noise is not in them.
// Better now and then, by little, is worse.
bool IsWithinNoise(const std::vector<double>& worse_by);
bool CannotBeTold(const ReportDraws& other, const ReportDraws& winner, bool higher_is_better);
// Positions of those, also of such as break limits more in the median; none where nothing was drawn.
std::vector<std::size_t> NotToldFrom(const std::vector<Report>& reports, std::size_t winner,
                                     Objective objective);

// Positions of those that are as good as the winner in every draw, itself too; none where nothing was drawn.
std::vector<std::size_t> AlikeInAllDraws(const std::vector<Report>& reports, std::size_t winner,
                                         Objective objective);

// Of two that are as good in every draw: does what tells them apart not do so by the draws, either? What was
// asked for next, so many figures, is the same in all of them. False where they are the same in everything.
bool TieCannotBeTold(const ReportDraws& other, const ReportDraws& winner, std::size_t asked);

// Of what probability the intervals of the reports are, whose median over the draws is another figure than
// the run's, and why some have none: a text for each reason.
std::vector<std::string> IntervalTexts(const std::vector<Report>& reports);
// The latter: labels by the reason, of so many policies.
std::vector<std::string> NoIntervalTexts(const std::map<std::string, std::vector<std::string>>& without,
                                         std::size_t policies);

// What its intervals leave out: "the drift of x.profile.json was not measured". Empty: nothing.
std::string DriftText(const Report& report);
// That, and arrivals that another seed has: draws are all of the same.
std::string LacksText(const Report& report);
// Why nobody knows how sure the best is: {"no interval of eft", "its times are medians alone"}. Nothing where
// that is known, and where nobody asked for draws.
struct NotSure {
  std::string what, why;
};
std::optional<NotSure> WhyNotSure(const std::vector<Report>& reports, Objective objective);
// "eft is best in 97.0% of the draws", who is as good in all of them, whom the draws cannot tell from it, or
// that it is not told how sure it is; IntervalTexts say why. Empty where nobody asked.
std::string WinnerText(const std::vector<Report>& reports, std::size_t winner, Objective objective);

}  // namespace tandem
