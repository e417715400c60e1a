#include "scenarios/report/draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

constexpr std::int64_t kUsualDraws = 101;
constexpr std::array<Nanos LatencySummary::*, 6> kLatencies = {&LatencySummary::mean, &LatencySummary::p50,
                                                               &LatencySummary::p90,  &LatencySummary::p95,
                                                               &LatencySummary::p99,  &LatencySummary::max};

template <class Value>
DrawnFigure<Value> OfValues(std::vector<Value> values, double probability) {
  std::sort(values.begin(), values.end());
  const std::size_t first = FirstRank(values.size(), probability);
  return {values[first], values[(values.size() - 1) / 2], values[values.size() - 1 - first]};
}

// `get`: of a report, the value or an optional of it.
template <class Get>
auto OfDraws(const std::vector<Report>& drawn, double probability, const Get& get) {
  std::vector<std::decay_t<decltype(get(drawn[0]))>> values;
  for (const Report& report : drawn) values.push_back(get(report));
  return OfValues(std::move(values), probability);
}

// Nothing unless every draw has it.
template <class Get>
auto IfAllHave(const std::vector<Report>& drawn, double probability, const Get& get) {
  using Value = std::decay_t<decltype(*get(drawn[0]))>;
  const auto has = [&](const Report& report) { return get(report).has_value(); };
  if (!std::all_of(drawn.begin(), drawn.end(), has)) return std::optional<DrawnFigure<Value>>();
  return std::optional(OfDraws(drawn, probability, [&](const Report& report) { return *get(report); }));
}

template <class Get>
std::optional<DrawnFigure<LatencySummary>> Latencies(const std::vector<Report>& drawn, double probability,
                                                     const Get& latency) {
  const auto has = [&](const Report& report) { return latency(report).has_value(); };
  if (!std::all_of(drawn.begin(), drawn.end(), has)) return std::nullopt;
  DrawnFigure<LatencySummary> all;
  for (const auto figure : kLatencies) {
    const auto of = OfDraws(drawn, probability, [&](const Report& r) { return (*latency(r)).*figure; });
    all.low.*figure = of.low;
    all.median.*figure = of.median;
    all.high.*figure = of.high;
  }
  return all;
}

double AsDouble(Nanos time) { return static_cast<double>(time.count()); }
double AsDouble(std::int64_t count) { return static_cast<double>(count); }

StreamDraws OfStream(const std::vector<Report>& drawn, double probability, std::size_t s) {
  return {OfDraws(drawn, probability, [s](const Report& r) { return r.streams[s].throughput_per_s; }),
          OfDraws(drawn, probability, [s](const Report& r) { return r.streams[s].missed; }),
          Latencies(drawn, probability, [s](const Report& r) { return r.streams[s].latency; }),
          Latencies(drawn, probability, [s](const Report& r) { return r.streams[s].end_to_end; }),
          Latencies(drawn, probability, [s](const Report& r) { return r.streams[s].age; }),
          OfDraws(drawn, probability, [s](const Report& r) { return r.streams[s].dropped; }),
          IfAllHave(drawn, probability, [s](const Report& r) { return r.streams[s].slowdown; })};
}

UnitDraws OfUnit(const std::vector<Report>& drawn, double probability, std::size_t u) {
  return {OfDraws(drawn, probability, [u](const Report& r) { return r.units[u].busy; }),
          OfDraws(drawn, probability, [u](const Report& r) { return r.units[u].utilization; }),
          IfAllHave(drawn, probability, [u](const Report& r) { return r.units[u].energy_j; })};
}

// Every figure of which a report's draws say something, with it those of one report or several of that run.
template <class Each, class... Reports>
void ForEachDrawn(Report& report, const Each& each, Reports&... of) {
  ReportDraws& draws = *report.draws;
  each(draws.makespan, of.makespan...);
  each(draws.throughput_per_s, of.throughput_per_s...);
  each(draws.missed, of.missed...);
  each(draws.energy_j, of.energy_j...);
  each(draws.energy_per_inference_j, of.energy_per_inference_j...);
  each(draws.latency, of.latency...);
  for (std::size_t s = 0; s < report.streams.size(); ++s) {
    StreamDraws& drawn = *report.streams[s].draws;
    each(drawn.throughput_per_s, of.streams[s].throughput_per_s...);
    each(drawn.missed, of.streams[s].missed...);
    each(drawn.latency, of.streams[s].latency...);
    each(drawn.end_to_end, of.streams[s].end_to_end...);
    each(drawn.age, of.streams[s].age...);
    each(drawn.slowdown, of.streams[s].slowdown...);
  }
  for (std::size_t u = 0; u < report.units.size(); ++u) {
    UnitDraws& drawn = *report.units[u].draws;
    each(drawn.busy, of.units[u].busy...);
    each(drawn.utilization, of.units[u].utilization...);
    each(drawn.energy_j, of.units[u].energy_j...);
  }
}

// What has draws and is no figure of which a run's median is taken.
template <class Each, class... Reports>
void ForEachBeside(Report& report, const Each& each, Reports&... of) {
  ReportDraws& draws = *report.draws;
  each(draws.objective, ObjectiveValue(of, report.objective)...);
  each(draws.slowdown, ObjectiveValue(of, Objective::kSlowdown)...);
  each(draws.balanced_gain, ObjectiveValue(of, Objective::kBalancedGain)...);
  for (std::size_t s = 0; s < report.streams.size(); ++s)
    each(report.streams[s].draws->dropped, of.streams[s].dropped...);
}

struct Covering {
  template <class Value>
  void operator()(DrawnFigure<Value>& drawn, const Value& figure) const {
    drawn.low = std::min(drawn.low, figure);
    drawn.high = std::max(drawn.high, figure);
  }
  void operator()(DrawnFigure<LatencySummary>& drawn, const LatencySummary& figure) const {
    for (const auto of : kLatencies) {
      drawn.low.*of = std::min(drawn.low.*of, figure.*of);
      drawn.high.*of = std::max(drawn.high.*of, figure.*of);
    }
  }
  template <class Value>
  void operator()(std::optional<DrawnFigure<Value>>& drawn, const std::optional<Value>& figure) const {
    if (figure && drawn) (*this)(*drawn, *figure);
  }
};

// The interval as it would lie around the other figure, too.
struct Moving {
  template <class Value>
  void operator()(DrawnFigure<Value>& drawn, const Value& exact, const Value& fluid) const {
    drawn.low = std::max(Value{}, std::min(drawn.low, drawn.low + fluid - exact));
    drawn.high = std::max(drawn.high, drawn.high + fluid - exact);
  }
  void operator()(DrawnFigure<LatencySummary>& drawn, const LatencySummary& exact,
                  const LatencySummary& fluid) const {
    for (const auto of : kLatencies) {
      DrawnFigure<Nanos> figure{drawn.low.*of, drawn.median.*of, drawn.high.*of};
      (*this)(figure, exact.*of, fluid.*of);
      drawn.low.*of = figure.low;
      drawn.high.*of = figure.high;
    }
  }
  template <class Value>
  void operator()(std::optional<DrawnFigure<Value>>& drawn, const std::optional<Value>& exact,
                  const std::optional<Value>& fluid) const {
    if (drawn && exact && fluid) (*this)(*drawn, *exact, *fluid);
  }
};

struct TakingMedians {
  template <class Value>
  void operator()(const DrawnFigure<Value>& drawn, Value& figure) const {
    figure = drawn.median;
  }
  template <class Value>
  void operator()(const std::optional<DrawnFigure<Value>>& drawn, std::optional<Value>& figure) const {
    if (drawn) figure = drawn->median;
  }
};

// The median over the draws where all but as few of them as an interval leaves out at one end lie on one side
// of the run's figure; nothing elsewhere.
std::optional<double> OtherMedian(const Report& report) {
  const auto value = ObjectiveValue(report, report.objective);
  if (!value || *value <= 0 || !report.draws || !report.draws->objective) return std::nullopt;
  const ReportDraws& draws = *report.draws;
  const std::size_t few = FirstRank(draws.objectives.size(), draws.probability);
  const auto beyond = [&](const auto& is_beyond) {
    const auto count = std::count_if(draws.objectives.begin(), draws.objectives.end(), is_beyond);
    return static_cast<std::size_t>(count) + few >= draws.objectives.size();
  };
  const bool apart = beyond([&](double drawn) { return drawn > *value; }) ||
                     beyond([&](double drawn) { return drawn < *value; });
  return apart ? std::optional(draws.objective->median) : std::nullopt;
}

std::string MediansText(const std::vector<Report>& reports) {
  std::vector<std::string> medians;
  for (const Report& report : reports) {
    const auto median = OtherMedian(report);
    if (!median) continue;
    const double figure = *ObjectiveValue(report, report.objective);
    medians.push_back(report.label + " " + SignedPercent(*median / figure - 1, 1));
  }
  if (medians.empty()) return {};
  return "to be expected is another " + Words(NameOf(kObjectiveNames, reports[0].objective)) +
         " than that of every task at its median, by the median over the draws: " + Joined(medians);
}

// By how much limits are broken, per draw; of a draw that did not end nobody knows.
std::vector<double> ExcessesOf(const std::vector<Report>& drawn, const Report& report) {
  constexpr double kNeverEnded = 1e12;  // more than limits can be broken by
  std::vector<double> excesses;
  if (report.limits.empty()) return excesses;
  for (const Report& of_draw : drawn) {
    const bool known = of_draw.limits.size() == report.limits.size();
    excesses.push_back(known ? ExcessOf(of_draw) : kNeverEnded);
  }
  return excesses;
}

}  // namespace

DrawnFigure<double> FigureOver(std::vector<double> drawn, double probability) {
  return OfValues(std::move(drawn), probability);
}

std::optional<Interval> ReportDraws::ObjectiveInterval() const {
  if (!objective) return std::nullopt;
  return Interval{objective->low, objective->high};
}

Interval ReportDraws::MakespanInterval() const {
  return {static_cast<double>(makespan.low.count()), static_cast<double>(makespan.high.count())};
}

std::int64_t LeastDrawsFor(double probability) {
  return static_cast<std::int64_t>(std::ceil(2 / (1 - probability) - 1e-6)) - 1;
}

std::size_t FirstRank(std::size_t draws, double probability) {
  const double below = static_cast<double>(draws + 1) * (1 - probability) / 2;
  return static_cast<std::size_t>(std::max(std::floor(below + 1e-9), 1.0)) - 1;
}

std::int64_t DrawsFor(double probability) { return std::max(kUsualDraws, LeastDrawsFor(probability)); }

void SetDraws(const std::vector<Report>& drawn, double probability, Report& report) {
  TANDEM_CHECK(!drawn.empty(), "an interval needs draws");
  ReportDraws all;
  all.probability = probability;
  all.runs = static_cast<std::int64_t>(drawn.size());
  all.makespan = OfDraws(drawn, probability, [](const Report& r) { return r.makespan; });
  all.throughput_per_s = OfDraws(drawn, probability, [](const Report& r) { return r.throughput_per_s; });
  all.missed = OfDraws(drawn, probability, [](const Report& r) { return r.missed; });
  all.energy_j = IfAllHave(drawn, probability, [](const Report& r) { return r.energy_j; });
  all.energy_per_inference_j =
      IfAllHave(drawn, probability, [](const Report& r) { return r.energy_per_inference_j; });
  all.latency = Latencies(drawn, probability, [](const Report& r) { return r.latency; });
  const auto value_of = [&](Objective of) {
    return IfAllHave(drawn, probability, [of](const Report& r) { return ObjectiveValue(r, of); });
  };
  all.slowdown = value_of(Objective::kSlowdown);
  all.balanced_gain = value_of(Objective::kBalancedGain);
  const auto objective = [&](const Report& r) { return ObjectiveValue(r, report.objective); };
  all.objective = IfAllHave(drawn, probability, objective);
  for (const Report& of_draw : drawn) {
    if (all.objective) all.objectives.push_back(*objective(of_draw));
  }
  all.excesses = ExcessesOf(drawn, report);
  for (std::size_t l = 0; l < report.limits.size(); ++l) JudgeByDraws(drawn, l, report.limits[l]);
  report.draws = std::move(all);
  report.interval_why.clear();
  for (std::size_t s = 0; s < report.streams.size(); ++s) {
    report.streams[s].draws = OfStream(drawn, probability, s);
  }
  for (std::size_t u = 0; u < report.units.size(); ++u) {
    report.units[u].draws = OfUnit(drawn, probability, u);
  }
}

void CoverFigures(Report& report) {
  if (!report.draws) return;
  const Covering covering;
  ForEachDrawn(report, covering, report);
  ForEachBeside(report, covering, report);
}

void AddContention(Report& report) {
  if (!report.draws || !report.other_physics) return;
  const Report &other = *report.other_physics, &exact = report.IsFluid() ? other : report,
               &fluid = report.IsFluid() ? report : other;
  const Moving moving;
  ForEachDrawn(report, moving, exact, fluid);
  ForEachBeside(report, moving, exact, fluid);
  for (UnitReport& unit : report.units)
    unit.draws->utilization.high = std::min(unit.draws->utilization.high, 1.0);
}

void TakeMedians(Report& report) {
  if (!report.draws) return;
  ForEachDrawn(report, TakingMedians{}, report);
  if (report.gap) report.gap = InSeconds(report.makespan) / InSeconds(*report.bound) - 1;
}

std::optional<DrawnFigure<double>> DrawnOf(const Report& report, Objective objective) {
  if (!report.draws) return std::nullopt;
  const ReportDraws& draws = *report.draws;
  const auto count = [](const auto& of) {
    return std::optional(DrawnFigure<double>{AsDouble(of.low), AsDouble(of.median), AsDouble(of.high)});
  };
  const auto latency = [&](Nanos LatencySummary::*of) {
    return draws.latency ? count(DrawnFigure<Nanos>{draws.latency->low.*of, draws.latency->median.*of,
                                                    draws.latency->high.*of})
                         : std::nullopt;
  };
  switch (objective) {
    case Objective::kMakespan:
      return count(draws.makespan);
    case Objective::kThroughput:
      return draws.throughput_per_s;
    case Objective::kMeanLatency:
      return latency(&LatencySummary::mean);
    case Objective::kP99Latency:
      return latency(&LatencySummary::p99);
    case Objective::kMisses:
      return count(draws.missed);
    case Objective::kEnergy:
      return draws.energy_j;
    case Objective::kSlowdown:
      return draws.slowdown;
    case Objective::kBalancedGain:
      return draws.balanced_gain;
  }
  return std::nullopt;
}

std::optional<double> DrawnMedian(const Report& report, Objective objective) {
  const auto drawn = DrawnOf(report, objective);
  return drawn ? std::optional(drawn->median) : std::nullopt;
}

void ForgetDraws(const std::string& why, Report& report) {
  report.draws.reset();
  report.interval_why = why;
  for (LimitReport& limit : report.limits) JudgeByRun(limit);
  for (StreamReport& stream : report.streams) stream.draws.reset();
  for (UnitReport& unit : report.units) unit.draws.reset();
}

std::vector<std::string> IntervalTexts(const std::vector<Report>& reports) {
  std::vector<std::string> texts;
  const auto drawn = std::find_if(reports.begin(), reports.end(), [](const Report& r) { return r.draws; });
  if (drawn != reports.end()) {
    texts.push_back("+-: the farther end of the interval of " + PercentInTenths(drawn->draws->probability) +
                    ", by " + Counted(drawn->draws->runs, "draw"));
  }
  for (const Report& report : reports) {
    std::string drift = DriftText(report);
    if (drift.empty()) continue;
    drift +=
        ": the intervals are of the machine as it was when its samples were taken, and wider by what it "
        "drifts until others";
    if (std::find(texts.begin(), texts.end(), drift) == texts.end()) texts.push_back(drift);
  }
  if (const std::string medians = MediansText(reports); !medians.empty()) texts.push_back(medians);
  std::map<std::string, std::vector<std::string>> without;  // who has none, by the reason
  for (const Report& report : reports) {
    if (!report.draws && !report.interval_why.empty()) without[report.interval_why].push_back(report.label);
  }
  for (std::string& text : NoIntervalTexts(without, reports.size())) texts.push_back(std::move(text));
  return texts;
}

std::vector<std::string> NoIntervalTexts(const std::map<std::string, std::vector<std::string>>& without,
                                         std::size_t policies) {
  std::vector<std::string> texts;
  for (const auto& [why, labels] : without) {
    const bool all = labels.size() == policies;
    texts.push_back((all ? "no intervals: " : "no interval of " + Joined(labels) + ": ") + why);
  }
  return texts;
}

}  // namespace tandem
