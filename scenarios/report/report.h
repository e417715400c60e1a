// Room scenarios/report: figures of one run, and how they are shown.
//
// What is said of one run: of a policy on a scenario, in one engine. docs/semantics.md defines every figure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/report/draws.h"
#include "scenarios/report/latency_summary.h"
#include "scenarios/report/limits.h"
#include "scenarios/report/loadgen_verdict.h"
#include "scenarios/report/replication.h"
#include "scenarios/report/xrbench_score.h"
#include "scenarios/scenario/measured_room.h"
#include "scenarios/scenario/profile_used.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/scenario/search_story.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

struct Report;

// What a run was, beside its outcome.
struct RunFacts {
  std::string engine;                            // "simgrid", "virtual", "fluid"
  std::optional<Nanos> bound;                    // of the makespan
  std::string bound_why;                         // why there is none
  std::vector<UnitResidents> residents;          // of the units that cannot hold every model
  std::vector<std::string> estimated;            // what was taken for want of a measurement, a sentence each
  std::vector<ProfileUsed> profiles;             // where the times come from
  std::vector<MeasuredRoom> short_of_room = {};  // memories that have, or may have, no room for all
  // No schedule's objective is better, in its unit.
  std::optional<double> objective_bound = {};
  // The same policy's run by other physics: of the fluid engine by tandem's own rules, else, where that was
  // asked for, by SimGrid's own.
  std::shared_ptr<const Report> other_physics = {};
  // Of a policy that searches.
  std::optional<SearchStory> search = {};
};

// How many batches of a size have run, on whatever unit.
struct BatchSize {
  std::int64_t size = 0, count = 0;
};

// What a stage takes on the way of a last stage's requests, over all of these: 0 where it leads through
// another.
struct StageReport {
  std::string stream;         // as the file calls it
  std::int64_t requests = 0;  // whose way leads through it
  LatencySummary waiting, work;
};

struct StreamReport {
  std::string name;
  std::int64_t released = 0, completed = 0, dropped = 0, missed = 0;
  bool has_deadline = false;
  Nanos deadline{0};             // where it has one
  bool from_end_to_end = false;  // that is counted from the release of whom they hang on in the end
  Nanos first_release{0}, last_completion{0};
  double throughput_per_s = 0;            // its inferences over the run's makespan
  std::optional<LatencySummary> latency;  // nothing completed: none
  // Since the release of the request on which they hang in the end, of requests that follow another stream's.
  std::optional<LatencySummary> end_to_end;
  bool follows = false;    // another stream's requests: there is an end_to_end
  bool tells_age = false;  // it leaves requests out, hangs on one that does, or is asked
  bool may_drop = false;
  std::optional<std::int64_t> skipped;  // of those that it follows, by `every`; nothing: it takes all
  double dropped_per_s = 0;             // over the run's makespan
  double dropped_share = 0;             // of those that were released
  std::optional<LatencySummary> age,
      drop_age;                    // of results when newer ones replace them, of requests that go
  std::vector<BatchSize> batches;  // of streams whose requests go together, the least size first
  // Of a last stage: from the release on which its requests hang to their end, in the order of the way.
  std::vector<StageReport> stages;
  // Its mean to what a request takes alone on the unit that is fastest; nothing: it runs in parts only.
  std::optional<double> slowdown;
  // What its tasks took above idle; nothing where the run's energy is not known.
  std::optional<double> energy_above_idle_j, energy_above_idle_per_inference_j;
  std::optional<LoadgenVerdict> loadgen;
  std::optional<XrbenchScore> xrbench;
  std::optional<StreamDraws> draws;  // as the report's
};

// Of a model on a unit.
struct ModelLoads {
  std::string model;
  std::int64_t loads = 0, evictions = 0;
};

struct UnitReport {
  std::string name;
  Nanos busy{0};
  double utilization = 0;
  std::int64_t tasks = 0;
  std::optional<double> energy_j;
  Nanos held_back{0};              // by heat
  Nanos away{0};                   // it was not there
  std::int64_t lost_tasks = 0;     // that it had when it left
  Nanos lost{0};                   // slots occupied by those
  std::vector<ModelLoads> loads;   // of models that it loaded or put out
  std::optional<UnitDraws> draws;  // as the report's
};

// Of several runs that differ in their seed. What is missing could not be told of every run.
struct ReplicationReport {
  std::int64_t runs = 0;
  double probability = kUsualInterval;  // of its intervals
  bool samples_drawn = false;           // latencies were drawn from samples; else they are medians
  std::optional<Estimate> objective;    // its mean
  std::optional<Estimate> makespan, throughput_per_s, missed, energy_j;  // their means; the makespan's in ns
  std::optional<Estimate> p50, p90, p95, p99;  // median over the runs of their latency's percentile, in ns
  std::optional<Standing> standing;            // beside the other policies
};

// The same policy on the scenario as its files have it, beside a run under what was supposed.
struct UnchangedRun {
  std::shared_ptr<const Report> report;
  bool best = false;               // by the objective, of all policies there
  std::optional<Interval> change;  // of the objective, as a share of the unchanged: over draws of one luck
};

// What RankReports makes of one of several.
struct PlaceAmong {
  bool best = false, taken = false, not_told_apart = false;
  // Where runs of medians told who is best: is the margin to it inside what the times may be off by? Nothing:
  // it is the best one, draws told, or nobody knows how far off the times are.
  std::optional<bool> within_error = {};
};

struct Report : RunFacts {
  bool IsFluid() const { return engine == "fluid"; }

  std::string policy, label;
  bool clairvoyant = false;
  bool beside = false;  // clairvoyant where requests are still to come: shown, but never the winner
  std::optional<Granularity> granularity;  // where the policy takes one
  std::uint64_t seed = 1;
  bool random_arrivals = false;  // another seed has others
  Objective objective = Objective::kMakespan;
  std::string objective_why;  // as Scenario::objective_why
  std::vector<Objective> then;
  bool complete = true;  // else the figures are of what was complete when the run was cut short
  std::string failed;    // why the policy has no run; it is not complete then
  Nanos makespan{0};
  double arrival_share = 0;     // of the makespan, until the last request comes by the clock
  double throughput_per_s = 0;  // inferences
  std::optional<double> gap;    // to the bound
  // Of the objective to its bound.
  std::optional<double> objective_gap;
  std::optional<double> energy_j, energy_per_inference_j;
  std::string energy_why;  // why there is no energy
  // Of the fluid engine: as SimGrid's own energy plugin counts it.
  std::optional<double> plugin_energy_j = {};
  std::int64_t released = 0, completed = 0, dropped = 0, missed = 0, inferences = 0;
  std::optional<LatencySummary> latency;  // over all requests
  std::optional<double> xrbench_overall;
  std::vector<StreamReport> streams;
  std::vector<UnitReport> units;
  std::vector<LimitReport> limits;                // of the scenario; none where the run was cut short
  std::optional<ReplicationReport> replications;  // the rest is then the first run's
  std::optional<ReportDraws> draws;
  std::string interval_why;               // why there are none
  std::string win_why;                    // why nobody knows how surely it wins; empty where that is known
  std::optional<PlaceAmong> place = {};   // beside others that it is written with
  std::vector<WhatIf> what_if;            // what was supposed beside what the files say
  std::optional<UnchangedRun> unchanged;  // where something was: without it
};

// What the outcome alone says: of whom it is, and in which engine, is left open.
Report FiguresOf(const Scenario& scenario, Outcome outcome);
Report MakeReport(const Scenario& scenario, const PolicySpec& policy, const RunFacts& facts, Outcome outcome);
// Of a policy that has no run.
Report MakeFailedReport(const Scenario& scenario, const PolicySpec& policy, const RunFacts& facts,
                        const std::string& why);

// Is the policy's report `beside`?
bool StandsBeside(const Scenario& scenario, const PolicySpec& policy);

// Positions of those that may be best by the objective: that have it, are complete and not `beside`, and keep
// all limits or, where nobody does, break them the least.
std::vector<std::size_t> Contenders(const std::vector<Report>& reports, Objective objective);
// Of each report what it is ranked by: the median over its draws where all contenders have one, since a run
// of medians alone is shorter than most; else the figure of its run, of all of them.
bool RankedByDraws(const std::vector<Report>& reports, Objective objective);
ToldBy HowTold(const std::vector<Report>& reports);
std::vector<std::optional<double>> RankedValues(const std::vector<Report>& reports, Objective objective);
// Those of them that are best: none, one, or several that are equal.
std::vector<std::size_t> BestReports(const std::vector<Report>& reports, Objective objective);

// Who wins by the objective, what told apart whom it calls equal, and who is taken.
struct Ranking {
  std::vector<std::size_t> equal;    // BestReports
  std::vector<std::size_t> winners;  // of them, those that no tie-breaker tells apart: the first is the best
  std::optional<Objective> told_apart_by;  // the last tie-breaker that put anybody out
  std::vector<std::size_t> close;  // whom the draws cannot tell from the best, by what breaks ties, either
  // Of the best and those close to it the simplest, of equals the better one: whom plans are made of and a
  // validation judges. Nothing where nobody wins.
  std::optional<std::size_t> taken;

  bool TakesSimpler() const { return taken && *taken != winners.front(); }
};
Ranking RankReports(const std::vector<Report>& reports, Objective objective);

// Why it takes nobody: as all stand `beside`, or else by the first that does not.
std::string WhyNobodyWins(const std::vector<Report>& reports, Objective objective);
std::string AllBesideText(const std::vector<std::string>& labels);

// "tied by makespan: fcfs, edf; edf has the least missed requests"; empty where nobody is tied.
std::string TieText(const std::vector<Report>& reports, const Ranking& ranking, Objective objective);

// Whom the draws cannot tell apart, how sure the best is, and who is taken where a simpler one is; empty
// where there are no draws.
std::string TakenText(const std::vector<Report>& reports, const Ranking& ranking, Objective objective);

// A makespan of which so much is over when the last request comes is the arrivals', not the policies'.
inline constexpr double kSetByArrivals = 0.9;
inline bool IsSetByArrivals(const Report& report) {
  return report.complete && report.arrival_share >= kSetByArrivals;
}
// That the arrivals set the makespans, and what compares policies instead; empty where one of them is not set
// so.
std::string ArrivalText(const std::vector<Report>& reports);

// What any of them took for want of a measurement, none twice.
std::vector<std::string> EstimatedOf(const std::vector<Report>& reports);

// LoadGen's verdict over all streams: false where any is INVALID.
bool IsValid(const Report& report);

}  // namespace tandem
