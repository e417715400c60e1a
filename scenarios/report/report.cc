#include "scenarios/report/report.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <variant>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

double Ratio(double dividend, double divisor) { return divisor > 0 ? dividend / divisor : 0; }

// What utilisation and idle power are counted over: the makespan, or all the time that a run had before it
// was cut short.
Nanos Horizon(const Outcome& outcome) {
  if (outcome.complete) return outcome.makespan();
  return std::max(outcome.makespan(), outcome.end - outcome.first_release);
}

// Over all units.
std::vector<BatchSize> BatchSizes(const StreamOutcome& outcome) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const BatchCount& batch : outcome.batches) counts[batch.size] += batch.count;
  std::vector<BatchSize> sizes;
  for (const auto& [size, count] : counts) sizes.push_back({size, count});
  return sizes;
}

StreamReport ReportStream(const Scenario& scenario, const Stream& stream, const StreamOutcome& outcome,
                          const Outcome& run) {
  StreamReport report;
  report.name = stream.name;
  report.released = outcome.released;
  report.completed = outcome.completed();
  report.dropped = outcome.dropped;
  report.missed = outcome.missed;
  report.has_deadline = stream.HasDeadline();
  report.from_end_to_end = !stream.deadline && stream.end_to_end_deadline;
  report.deadline = stream.deadline.value_or(stream.end_to_end_deadline.value_or(Nanos{0}));
  report.first_release = outcome.first_release;
  report.last_completion = outcome.last_completion;
  report.throughput_per_s = PerSecond(outcome.completed() * stream.batch, run.makespan());
  const auto* const follows = std::get_if<DependentArrival>(&stream.arrival);
  report.follows = follows != nullptr;
  report.tells_age = TellsAge(scenario, stream);
  report.may_drop = stream.Drops();
  report.dropped_per_s = PerSecond(outcome.dropped, run.makespan());
  report.dropped_share = Ratio(static_cast<double>(outcome.dropped), static_cast<double>(outcome.released));
  if (follows && follows->every > 1) report.skipped = outcome.skipped;
  report.batches = BatchSizes(outcome);
  if (stream.loadgen) report.loadgen = JudgeLoadgen(stream, outcome, run.complete);
  return report;
}

UnitReport ReportUnit(const Unit& unit, const UnitOutcome& outcome, Nanos horizon) {
  UnitReport report;
  report.name = unit.name;
  report.busy = outcome.busy;
  report.tasks = outcome.tasks;
  report.held_back = outcome.held_back;
  report.away = outcome.away;
  report.lost_tasks = outcome.lost_tasks;
  report.lost = outcome.lost;
  report.utilization = Ratio(static_cast<double>(outcome.busy.count()),
                             static_cast<double>(horizon.count()) * static_cast<double>(unit.slots));
  if (MissingPower(unit, outcome).empty()) report.energy_j = UnitEnergy(unit, outcome, horizon);
  return report;
}

// Idle watts are nobody's: these and the units' idle watts are the run's energy.
void AddStreamEnergy(const Scenario& scenario, const Outcome& outcome, Report& report) {
  for (std::size_t s = 0; s < report.streams.size(); ++s) {
    StreamReport& stream = report.streams[s];
    double joules = 0;
    for (const StreamWork& work : outcome.streams[s].work) {
      joules += EnergyAboveIdle(scenario.platform->unit(work.unit), work.task_joules, work.unprofiled_busy);
    }
    stream.energy_above_idle_j = joules;
    const auto inferences = static_cast<double>(stream.completed * scenario.streams[s].batch);
    if (inferences > 0) stream.energy_above_idle_per_inference_j = joules / inferences;
  }
}

void AddEnergy(const Scenario& scenario, const Outcome& outcome, Report& report) {
  const Platform& platform = *scenario.platform;
  double total = 0;
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    report.energy_why = MissingPower(platform.units[i], outcome.units[i]);
    if (!report.energy_why.empty()) return;
    total += *report.units[i].energy_j;
  }
  report.energy_j = total;
  if (report.inferences > 0) report.energy_per_inference_j = total / static_cast<double>(report.inferences);
  AddStreamEnergy(scenario, outcome, report);
}

void AddPluginEnergy(const Outcome& outcome, Report& report) {
  double total = 0;
  for (const UnitOutcome& unit : outcome.units) {
    if (!outcome.complete || !unit.plugin_joules) return;
    total += *unit.plugin_joules;
  }
  report.plugin_energy_j = total;
}

void AddStreams(const Scenario& scenario, const Outcome& outcome, Report& report) {
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    report.streams.push_back(ReportStream(scenario, scenario.streams[i], outcome.streams[i], outcome));
    const StreamReport& stream = report.streams.back();
    report.released += stream.released;
    report.completed += stream.completed;
    report.dropped += stream.dropped;
    report.missed += stream.missed;
    report.inferences += stream.completed * scenario.streams[i].batch;
  }
  report.throughput_per_s = PerSecond(report.inferences, outcome.makespan());
}

void AddXrbench(const Scenario& scenario, const Outcome& outcome, Report& report) {
  if (scenario.rules != Rules::kXrbench) return;
  const auto scores = XrbenchScores(scenario, outcome, report.energy_per_inference_j);
  for (std::size_t i = 0; i < scores.size(); ++i) report.streams[i].xrbench = scores[i];
  report.xrbench_overall = XrbenchOverall(scores);
}

// Does a policy that sees all arrivals see more than one that sees what was released? Offline, all was.
bool HasArrivalsToCome(const Scenario& scenario) {
  return std::any_of(scenario.streams.begin(), scenario.streams.end(), ComesByTheClock);
}

double ArrivalShare(const Scenario& scenario, const Outcome& outcome) {
  Nanos last = outcome.first_release;
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    if (ComesByTheClock(scenario.streams[i])) last = std::max(last, outcome.streams[i].last_release);
  }
  return Ratio(static_cast<double>((last - outcome.first_release).count()),
               static_cast<double>(outcome.makespan().count()));
}

// How much worse than its bound the objective is; nothing where one of them is 0.
std::optional<double> ObjectiveGap(const Report& report) {
  const auto value = ObjectiveValue(report, report.objective);
  if (!report.complete || !report.objective_bound || !value) return std::nullopt;
  const bool higher = HigherIsBetter(report.objective);
  const double better = higher ? *value : *report.objective_bound;
  const double worse = higher ? *report.objective_bound : *value;
  return better > 0 ? std::optional(worse / better - 1) : std::nullopt;
}

// Requests that all came at once have ended in ascending order of latency. Others go through a vector, where
// sorting takes a fraction of what it takes in place.
void Sort(std::deque<Nanos>& latencies) {
  if (std::is_sorted(latencies.begin(), latencies.end())) return;
  std::vector<Nanos> sorted(latencies.begin(), latencies.end());
  std::sort(sorted.begin(), sorted.end());
  std::copy(sorted.begin(), sorted.end(), latencies.begin());
}

std::optional<LatencySummary> Summarized(std::vector<Nanos>& times) {
  std::sort(times.begin(), times.end());
  return Summarize(std::deque<Nanos>(times.begin(), times.end()));
}

// The file's name of a stream of which it may have made several.
std::string NameInFile(const Scenario& scenario, StreamId stream) {
  const std::string& name = scenario.streams[stream.index()].name;
  const auto is_copy = [&](const Stream& of) { return of.copy_of == stream.index(); };
  const bool several = std::any_of(scenario.streams.begin(), scenario.streams.end(), is_copy);
  return several ? name.substr(0, name.rfind('_')) : name;
}

std::vector<StageReport> StagesOf(const Scenario& scenario, const StreamOutcome& last) {
  const auto all = static_cast<std::size_t>(last.whole_ways);
  std::vector<const StageOutcome*> in_order;
  for (const StageOutcome& stage : last.stages) in_order.push_back(&stage);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const StageOutcome* a, const StageOutcome* b) { return a->behind > b->behind; });
  std::vector<StageReport> stages;
  for (const StageOutcome* stage : in_order) {
    std::vector<Nanos> waited(all), worked(all);
    for (std::size_t i = 0; i < stage->passed.size(); ++i) {
      waited[i] = stage->passed[i].waited;
      worked[i] = stage->passed[i].worked;
    }
    stages.push_back({NameInFile(scenario, stage->stream), static_cast<std::int64_t>(stage->passed.size()),
                      *Summarized(waited), *Summarized(worked)});
  }
  return stages;
}

// Last, since it sorts the latencies, whose order of completion others read.
void AddLatencies(const Scenario& scenario, Outcome& outcome, Report& report) {
  std::vector<const std::deque<Nanos>*> all;
  for (std::size_t i = 0; i < outcome.streams.size(); ++i) {
    auto& latencies = outcome.streams[i].latencies;
    Sort(latencies);
    report.streams[i].latency = Summarize(latencies);
    report.streams[i].end_to_end = Summarized(outcome.streams[i].end_to_end);
    report.streams[i].age = Summarized(outcome.streams[i].ages);
    report.streams[i].drop_age = Summarized(outcome.streams[i].drop_ages);
    report.streams[i].stages = StagesOf(scenario, outcome.streams[i]);
    if (const auto& latency = report.streams[i].latency) {
      report.streams[i].slowdown = SlowdownOf(scenario, i, static_cast<double>(latency->mean.count()));
    }
    all.push_back(&latencies);
  }
  report.latency = Summarize(all);
}

}  // namespace

Report FiguresOf(const Scenario& scenario, Outcome outcome) {
  Report report;
  report.complete = outcome.complete;
  report.makespan = outcome.makespan();
  report.arrival_share = ArrivalShare(scenario, outcome);
  AddStreams(scenario, outcome, report);
  for (std::size_t i = 0; i < scenario.platform->units.size(); ++i) {
    report.units.push_back(ReportUnit(scenario.platform->units[i], outcome.units[i], Horizon(outcome)));
  }
  for (const LoadCount& of : outcome.loads) {
    report.units[of.unit.index()].loads.push_back({scenario.model(of.model).name, of.loads, of.evictions});
  }
  AddEnergy(scenario, outcome, report);
  AddPluginEnergy(outcome, report);
  AddXrbench(scenario, outcome, report);
  AddLatencies(scenario, outcome, report);
  if (report.complete) report.limits = JudgeLimits(scenario.limits, report);
  return report;
}

Report MakeReport(const Scenario& scenario, const PolicySpec& policy, const RunFacts& facts,
                  Outcome outcome) {
  Report report = FiguresOf(scenario, std::move(outcome));
  static_cast<RunFacts&>(report) = facts;
  report.policy = policy.declaration->name;
  report.label = policy.label;
  report.clairvoyant = policy.declaration->clairvoyant;
  report.beside = StandsBeside(scenario, policy);
  if (policy.declaration->takes_granularity) report.granularity = policy.granularity;
  report.seed = scenario.seed;
  report.random_arrivals = HasRandomArrivals(scenario.streams);
  report.what_if = scenario.what_if;
  report.objective = scenario.objective;
  report.objective_why = scenario.objective_why;
  report.then = scenario.then;
  if (report.bound && report.bound->count() > 0 && report.complete) {
    report.gap =
        static_cast<double>(report.makespan.count()) / static_cast<double>(report.bound->count()) - 1;
  }
  report.objective_gap = ObjectiveGap(report);
  return report;
}

Report MakeFailedReport(const Scenario& scenario, const PolicySpec& policy, const RunFacts& facts,
                        const std::string& why) {
  Outcome nothing;
  nothing.complete = false;
  nothing.streams.resize(scenario.streams.size());
  nothing.units.resize(scenario.platform->units.size());
  Report report = MakeReport(scenario, policy, facts, std::move(nothing));
  report.failed = why;
  return report;
}

bool StandsBeside(const Scenario& scenario, const PolicySpec& policy) {
  return policy.declaration->clairvoyant && HasArrivalsToCome(scenario);
}

std::vector<std::size_t> Contenders(const std::vector<Report>& reports, Objective objective) {
  std::vector<std::size_t> contenders;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i].complete || reports[i].beside || !ObjectiveValue(reports[i], objective)) continue;
    contenders.push_back(i);
    least = std::min(least, ExcessOf(reports[i]));
  }
  std::erase_if(contenders, [&](std::size_t i) { return ExcessOf(reports[i]) > least; });
  return contenders;
}

bool RankedByDraws(const std::vector<Report>& reports, Objective objective) {
  const std::vector<std::size_t> contenders = Contenders(reports, objective);
  return !contenders.empty() && std::all_of(contenders.begin(), contenders.end(), [&](std::size_t i) {
    return DrawnMedian(reports[i], objective).has_value();
  });
}

ToldBy HowTold(const std::vector<Report>& reports) {
  const bool by_draws = !reports.empty() && RankedByDraws(reports, reports[0].objective);
  return by_draws ? ToldBy::kDraws : ToldBy::kRuns;
}

std::vector<std::optional<double>> RankedValues(const std::vector<Report>& reports, Objective objective) {
  const bool by_draws = RankedByDraws(reports, objective);
  std::vector<std::optional<double>> values;
  for (const Report& report : reports) {
    values.push_back(by_draws ? DrawnMedian(report, objective) : ObjectiveValue(report, objective));
  }
  return values;
}

std::vector<std::size_t> BestReports(const std::vector<Report>& reports, Objective objective) {
  std::vector<std::size_t> best;
  std::optional<double> best_value;
  const auto values = RankedValues(reports, objective);
  for (const std::size_t i : Contenders(reports, objective)) {
    const auto& value = values[i];
    if (best_value && *value == *best_value) {
      best.push_back(i);
    } else if (!best_value || (HigherIsBetter(objective) ? *value > *best_value : *value < *best_value)) {
      best = {i};
      best_value = value;
    }
  }
  return best;
}

std::vector<std::string> EstimatedOf(const std::vector<Report>& reports) {
  std::vector<std::string> all;
  for (const Report& report : reports) {
    for (const std::string& sentence : report.estimated) {
      if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(sentence);
    }
  }
  return all;
}

bool IsValid(const Report& report) {
  return std::all_of(report.streams.begin(), report.streams.end(),
                     [](const StreamReport& stream) { return !stream.loadgen || stream.loadgen->valid(); });
}

}  // namespace tandem
