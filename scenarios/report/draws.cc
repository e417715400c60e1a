#include "scenarios/report/draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/base/check.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

constexpr std::int64_t kUsualDraws = 101;

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
  for (const auto figure : kFiguresOfLatency) {
    const auto of = OfDraws(drawn, probability, [&](const Report& r) { return (*latency(r)).*figure; });
    all.low.*figure = of.low;
    all.median.*figure = of.median;
    all.high.*figure = of.high;
  }
  return all;
}

double AsDouble(Nanos time) { return static_cast<double>(time.count()); }
double AsDouble(std::int64_t count) { return static_cast<double>(count); }

// Nothing unless every draw has the score.
std::optional<XrbenchDraws> DrawnXrbench(const std::vector<Report>& drawn, double probability,
                                         std::size_t s) {
  const auto has = [s](const Report& r) { return r.streams[s].xrbench.has_value(); };
  if (!std::all_of(drawn.begin(), drawn.end(), has)) return std::nullopt;
  return XrbenchDraws{
      OfDraws(drawn, probability, [s](const Report& r) { return r.streams[s].xrbench->real_time; }),
      IfAllHave(drawn, probability, [s](const Report& r) { return r.streams[s].xrbench->energy; }),
      OfDraws(drawn, probability, [s](const Report& r) { return r.streams[s].xrbench->qoe; })};
}

// None unless every draw leads through as many stages.
std::vector<StageDraws> DrawnStages(const std::vector<Report>& drawn, double probability, std::size_t s) {
  std::vector<StageDraws> stages;
  const std::size_t count = drawn[0].streams[s].stages.size();
  const auto alike = [s, count](const Report& r) { return r.streams[s].stages.size() == count; };
  if (!std::all_of(drawn.begin(), drawn.end(), alike)) return stages;
  for (std::size_t i = 0; i < count; ++i) {
    const auto times = [&](LatencySummary StageReport::*of) {
      return *Latencies(drawn, probability,
                        [s, i, of](const Report& r) { return std::optional(r.streams[s].stages[i].*of); });
    };
    stages.push_back({times(&StageReport::waiting), times(&StageReport::work)});
  }
  return stages;
}

// Of a stream under LoadGen's rules.
std::optional<double> ValidShare(const std::vector<Report>& drawn, std::size_t s) {
  if (!drawn[0].streams[s].loadgen) return std::nullopt;
  const auto valid = std::count_if(drawn.begin(), drawn.end(), [s](const Report& r) {
    return r.streams[s].loadgen && r.streams[s].loadgen->valid();
  });
  return static_cast<double>(valid) / static_cast<double>(drawn.size());
}

StreamDraws OfStream(const std::vector<Report>& drawn, double probability, std::size_t s) {
  const auto always = [&](auto StreamReport::*figure) {
    return OfDraws(drawn, probability, [s, figure](const Report& r) { return r.streams[s].*figure; });
  };
  const auto if_all = [&](auto StreamReport::*figure) {
    return IfAllHave(drawn, probability, [s, figure](const Report& r) { return r.streams[s].*figure; });
  };
  const auto latencies = [&](auto StreamReport::*figure) {
    return Latencies(drawn, probability, [s, figure](const Report& r) { return r.streams[s].*figure; });
  };
  using S = StreamReport;
  StreamDraws draws;
  draws.throughput_per_s = always(&S::throughput_per_s);
  draws.missed = always(&S::missed);
  draws.latency = latencies(&S::latency);
  draws.end_to_end = latencies(&S::end_to_end);
  draws.age = latencies(&S::age);
  draws.dropped = always(&S::dropped);
  draws.slowdown = if_all(&S::slowdown);
  draws.dropped_per_s = always(&S::dropped_per_s);
  draws.dropped_share = always(&S::dropped_share);
  draws.drop_age = latencies(&S::drop_age);
  draws.energy_above_idle_j = if_all(&S::energy_above_idle_j);
  draws.energy_above_idle_per_inference_j = if_all(&S::energy_above_idle_per_inference_j);
  draws.xrbench = DrawnXrbench(drawn, probability, s);
  draws.stages = DrawnStages(drawn, probability, s);
  draws.valid_share = ValidShare(drawn, s);
  return draws;
}

UnitDraws OfUnit(const std::vector<Report>& drawn, double probability, std::size_t u) {
  return {OfDraws(drawn, probability, [u](const Report& r) { return r.units[u].busy; }),
          OfDraws(drawn, probability, [u](const Report& r) { return r.units[u].utilization; }),
          IfAllHave(drawn, probability, [u](const Report& r) { return r.units[u].energy_j; })};
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

DrawnFigure<Nanos> FigureOver(std::vector<Nanos> drawn, double probability) {
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
  all.dropped = OfDraws(drawn, probability, [](const Report& r) { return r.dropped; });
  all.xrbench_overall = IfAllHave(drawn, probability, [](const Report& r) { return r.xrbench_overall; });
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
  for (const Report& of_draw : drawn) {
    TieFigures& ties = all.ties.emplace_back();
    for (const Objective of : TieBreakers(report)) ties.push_back(TieFigure(ObjectiveValue(of_draw, of), of));
  }
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

}  // namespace tandem
