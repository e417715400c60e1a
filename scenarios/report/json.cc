#include "scenarios/report/json.h"

#include <algorithm>

#include "profiles/base/file_kinds.h"
#include "scenarios/report/json_fields.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/unchanged.h"
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

CodecOf<std::optional<double>> FigureOrNull() { return as::OrNull(as::Number(0)); }

using Latency = std::optional<LatencySummary>;
template <Nanos LatencySummary::*kFigure>
std::optional<Nanos> LatencyOf(const Latency& latency) {
  return latency ? std::optional((*latency).*kFigure) : std::nullopt;
}

const Fields<Latency>& LatencyFields() {
  using S = LatencySummary;
  const auto time = as::OrNull(as::WholeNanos());
  static const auto fields = Fields<Latency>("report_latency",
                                             "Nearest-rank percentiles; the mean to the nearest nanosecond, "
                                             "halves up. Null where nothing completed.")
                                 .Says("mean", time, LatencyOf<&S::mean>)
                                 .Says("p50", time, LatencyOf<&S::p50>)
                                 .Says("p90", time, LatencyOf<&S::p90>)
                                 .Says("p95", time, LatencyOf<&S::p95>)
                                 .Says("p99", time, LatencyOf<&S::p99>)
                                 .Says("max", time, LatencyOf<&S::max>);
  return fields;
}

// [low, high], or null.
template <class Value>
CodecOf<std::optional<std::vector<Value>>> Ends(CodecOf<Value> end) {
  return as::OrNull(as::ListOf(std::move(end), {.least = 2, .most = 2}));
}
template <class Value>
std::optional<std::vector<Value>> EndsOf(const DrawnFigure<Value>& drawn) {
  return std::vector<Value>{drawn.low, drawn.high};
}
template <class Value>
std::optional<std::vector<Value>> EndsOf(const std::optional<DrawnFigure<Value>>& drawn) {
  return drawn ? EndsOf(*drawn) : std::nullopt;
}
// Of a figure of something that may have no draws.
template <auto kFigure, class Of>
auto IntervalOf(const Of& of) {
  using Found = decltype(EndsOf((*of.draws).*kFigure));
  return of.draws ? EndsOf((*of.draws).*kFigure) : Found();
}

template <Nanos LatencySummary::*kFigure>
std::vector<Nanos> LatencyEnds(const DrawnFigure<LatencySummary>& latency) {
  return {latency.low.*kFigure, latency.high.*kFigure};
}

CodecOf<DrawnFigure<LatencySummary>> LatencyInterval() {
  using S = LatencySummary;
  const auto ends = as::ListOf(as::WholeNanos(), {.least = 2, .most = 2});
  static const auto fields =
      Fields<DrawnFigure<S>>("report_latency_interval", "Of each figure its interval: [low, high].")
          .Says("mean", ends, LatencyEnds<&S::mean>)
          .Says("p50", ends, LatencyEnds<&S::p50>)
          .Says("p90", ends, LatencyEnds<&S::p90>)
          .Says("p95", ends, LatencyEnds<&S::p95>)
          .Says("p99", ends, LatencyEnds<&S::p99>)
          .Says("max", ends, LatencyEnds<&S::max>);
  return as::ObjectOf(fields);
}
CodecOf<std::optional<DrawnFigure<LatencySummary>>> LatencyIntervals() {
  return as::OrNull(LatencyInterval());
}
// Of a report or a stream.
template <auto kLatency, class Of>
std::optional<DrawnFigure<LatencySummary>> LatencyDraws(const Of& of) {
  return of.draws ? (*of.draws).*kLatency : std::nullopt;
}

const Fields<XrbenchScore>& XrbenchFields() {
  static const auto fields = Fields<XrbenchScore>("report_xrbench")
                                 .Needed("real_time", &XrbenchScore::real_time, as::Number(0, 1))
                                 .Needed("energy", &XrbenchScore::energy, as::OrNull(as::Number(0, 1)))
                                 .Needed("qoe", &XrbenchScore::qoe, as::Number(0, 1),
                                         "Quality of experience: what was not dropped.");
  return fields;
}

// Said where there is one.
template <Latency StreamReport::*kTimes>
std::optional<Latency> TimesOf(const StreamReport& stream) {
  if (!(stream.*kTimes)) return std::nullopt;
  return std::optional<Latency>(std::in_place, stream.*kTimes);
}

template <double StreamReport::*kFigure>
std::optional<double> OfDrops(const StreamReport& stream) {
  return stream.may_drop ? std::optional(stream.*kFigure) : std::nullopt;
}

const Fields<BatchSize>& BatchFields() {
  static const auto fields = Fields<BatchSize>("report_batch")
                                 .Needed("size", &BatchSize::size, as::Integer(1))
                                 .Needed("count", &BatchSize::count, as::Integer(1));
  return fields;
}
std::optional<std::vector<BatchSize>> BatchesOf(const StreamReport& stream) {
  return stream.batches.empty() ? std::nullopt : std::optional(stream.batches);
}

const Fields<StageReport>& StageFields() {
  static const auto fields =
      Fields<StageReport>("report_stage")
          .Needed("stream", &StageReport::stream, as::Words(), "As the file calls it.")
          .Needed("requests", &StageReport::requests, Count(), "Whose way leads through it.")
          .Says(
              "waiting_ns", as::ObjectOf(LatencyFields()),
              [](const StageReport& stage) { return std::optional(stage.waiting); },
              "From the end of what was waited for, or the release, until a unit takes it.")
          .Says(
              "work_ns", as::ObjectOf(LatencyFields()),
              [](const StageReport& stage) { return std::optional(stage.work); }, "From then until its end.");
  return fields;
}
std::optional<std::vector<StageReport>> WayOf(const StreamReport& stream) {
  return stream.stages.empty() ? std::nullopt : std::optional(stream.stages);
}

const Fields<StreamReport>& StreamFields() {
  using S = StreamReport;
  static const auto fields =
      Fields<S>("report_stream")
          .Needed("name", &S::name, as::Words())
          .Needed("completed", &S::completed, Count())
          .Needed("dropped", &S::dropped, Count())
          .Needed("missed", &S::missed, Count())
          .Needed("first_release_ns", &S::first_release, as::WholeNanos())
          .Needed("last_completion_ns", &S::last_completion, as::WholeNanos())
          .Needed("throughput_per_s", &S::throughput_per_s, Figure())
          .Needed("latency_ns", &S::latency, as::ObjectOf(LatencyFields()))
          .MaySay("dropped_per_s", Figure(), OfDrops<&S::dropped_per_s>,
                  "Over the makespan; of streams that may drop requests.")
          .MaySay("dropped_share", as::Number(0, 1), OfDrops<&S::dropped_share>, "Of those released.")
          .Optional("skipped", &S::skipped, Count(),
                    "Completed requests of the stream that it follows that its `every` leaves out.")
          .MaySay(
              "age_ns", as::ObjectOf(LatencyFields()), TimesOf<&S::age>,
              "How old the newest result was, since the release of what it tells of, each time that a newer "
              "one replaced it. Of streams that leave requests out, or are asked.")
          .MaySay("drop_age_ns", as::ObjectOf(LatencyFields()), TimesOf<&S::drop_age>,
                  "How old requests were when they were dropped.")
          .MaySay("batches", as::ListOf(as::ObjectOf(BatchFields()), {.least = 1}), BatchesOf,
                  "How many batches of each size have run; of streams whose requests go together.")
          .MaySay("end_to_end_ns", as::ObjectOf(LatencyFields()), TimesOf<&S::end_to_end>,
                  "Since the release of the request that they follow in the end: how old the data is. Of "
                  "requests that "
                  "follow another stream's.")
          .MaySay(
              "stages", as::ListOf(as::ObjectOf(StageFields()), {.least = 1}), WayOf,
              "Which stage costs what, of streams that nobody waits for, with all copies of one that fans "
              "out: over all their requests, 0 where the way leads through another. The means add up to "
              "that of end_to_end_ns, save for rounding.")
          .Optional("slowdown", &S::slowdown, Figure(),
                    "Its mean latency to the time of one request alone on the unit that is fastest.")
          .Optional("energy_above_idle_j", &S::energy_above_idle_j, Figure(),
                    "What its tasks took above the units' idle watts; where the run's energy is known.")
          .Optional("energy_above_idle_per_inference_j", &S::energy_above_idle_per_inference_j, Figure())
          .Needed("released", &S::released, Count())
          .Optional("loadgen", &S::loadgen, as::ObjectOf(LoadgenFields()))
          .Optional("xrbench", &S::xrbench, as::ObjectOf(XrbenchFields()))
          .Says("throughput_interval_per_s", Ends(Figure()), IntervalOf<&StreamDraws::throughput_per_s, S>)
          .Says("missed_interval", Ends(Count()), IntervalOf<&StreamDraws::missed, S>)
          .Says("latency_interval_ns", LatencyIntervals(), LatencyDraws<&StreamDraws::latency, S>)
          .MaySay("dropped_interval", as::ListOf(Count(), {.least = 2, .most = 2}),
                  [](const S& stream) {
                    return stream.may_drop ? IntervalOf<&StreamDraws::dropped>(stream) : std::nullopt;
                  })
          .MaySay("end_to_end_interval_ns", LatencyInterval(), LatencyDraws<&StreamDraws::end_to_end, S>)
          .MaySay("age_interval_ns", LatencyInterval(), LatencyDraws<&StreamDraws::age, S>)
          .MaySay("slowdown_interval", as::ListOf(Figure(), {.least = 2, .most = 2}),
                  IntervalOf<&StreamDraws::slowdown, S>);
  return fields;
}

const Fields<ModelLoads>& ModelLoadsFields() {
  using L = ModelLoads;
  static const auto fields =
      Fields<L>("report_unit_loads")
          .Needed("model", &L::model, as::Name())
          .Needed("loads", &L::loads, Count(), "So often it was brought there.")
          .Needed("evictions", &L::evictions, Count(), "So often it was put out for others.");
  return fields;
}

const Fields<UnitReport>& UnitFields() {
  using U = UnitReport;
  static const auto fields =
      Fields<U>("report_unit")
          .Needed("name", &U::name, as::Words())
          .Needed("busy_ns", &U::busy, as::WholeNanos())
          .Needed("utilization", &U::utilization, Figure())
          .Needed("tasks", &U::tasks, Count())
          .Needed("energy_j", &U::energy_j, FigureOrNull())
          .Optional("held_back_ns", &U::held_back, as::WholeNanos(),
                    "So long heat held it back, as the scenario's `heat` says.")
          .Optional("away_ns", &U::away, as::WholeNanos(), "So long it was not there: the scenario's `away`.")
          .Optional("lost_tasks", &U::lost_tasks, Count(), "That it had when it left; they were begun again.")
          .Optional("lost_ns", &U::lost, as::WholeNanos(), "Slots occupied by those, added up.")
          .Optional("loads", &U::loads, as::ListOf(as::ObjectOf(ModelLoadsFields())),
                    "Of the models that it loaded or put out.")
          .Says("busy_interval_ns", Ends(as::WholeNanos()), IntervalOf<&UnitDraws::busy, U>)
          .Says("utilization_interval", Ends(Figure()), IntervalOf<&UnitDraws::utilization, U>)
          .Says("energy_interval_j", Ends(Figure()), IntervalOf<&UnitDraws::energy_j, U>);
  return fields;
}

struct ObjectiveFigure {
  Objective name = Objective::kMakespan;
  std::optional<double> value;
  std::string unit, better;
  std::optional<std::vector<double>> interval;
  std::optional<double> median;  // over the draws
  std::optional<std::string> why;
  std::optional<std::vector<Objective>> then;
};
ObjectiveFigure ObjectiveOf(const Report& report) {
  const Objective name = report.objective;
  return {
      name,
      ObjectiveValue(report, name),
      std::string(ObjectiveUnit(name)),
      HigherIsBetter(name) ? "higher" : "lower",
      IntervalOf<&ReportDraws::objective>(report),
      report.draws && report.draws->objective ? std::optional(report.draws->objective->median) : std::nullopt,
      report.objective_why.empty() ? std::nullopt : std::optional(report.objective_why),
      report.then.empty() ? std::nullopt : std::optional(report.then)};
}

const Fields<ObjectiveFigure>& ObjectiveFields() {
  using O = ObjectiveFigure;
  static const auto fields =
      Fields<O>("report_objective")
          .Needed("name", &O::name, as::OneOf(kObjectiveNames, "objective"))
          .Needed("value", &O::value, FigureOrNull())
          .Needed("unit", &O::unit, as::WordOf({"ns", "1/s", "requests", "J", "times"}))
          .Needed("better", &O::better, as::WordOf({"lower", "higher"}))
          .Needed("interval", &O::interval, Ends(Figure()))
          .Needed("median", &O::median, FigureOrNull(), "Over the draws: what to expect of a device.")
          .Optional("why", &O::why, as::Text(), "Where the scenario names none.")
          .Optional("then", &O::then, as::ListOf(as::OneOf(kObjectiveNames, "objective")),
                    "What counts next, where it is equal.");
  return fields;
}

struct XrbenchOverallScore {
  double overall = 0;
};
std::optional<XrbenchOverallScore> OverallOf(const Report& report) {
  if (!report.xrbench_overall) return std::nullopt;
  return XrbenchOverallScore{*report.xrbench_overall};
}
const Fields<XrbenchOverallScore>& OverallFields() {
  static const auto fields = Fields<XrbenchOverallScore>("report_xrbench_overall")
                                 .Needed("overall", &XrbenchOverallScore::overall, as::Number(0, 100));
  return fields;
}

std::optional<std::vector<UnitResidents>> ResidentsOf(const Report& report) {
  return report.residents.empty() ? std::nullopt : std::optional(report.residents);
}

template <Objective kObjective>
std::optional<std::vector<double>> IfCompared(const Report& report) {
  const bool next = std::find(report.then.begin(), report.then.end(), kObjective) != report.then.end();
  return next || report.objective == kObjective ? EndsOf(DrawnOf(report, kObjective)) : std::nullopt;
}

std::optional<double> ProbabilityOf(const Report& report) {
  return report.draws ? std::optional(report.draws->probability) : std::nullopt;
}
std::optional<Nanos> MedianMakespan(const Report& report) {
  return report.draws ? std::optional(report.draws->makespan.median) : std::nullopt;
}
std::string WhyNoInterval(const Report& report) { return report.draws ? "" : report.interval_why; }
std::optional<double> WinProbability(const Report& report) {
  return report.draws ? report.draws->win_probability : std::nullopt;
}

std::optional<std::vector<LimitReport>> LimitsOf(const Report& report) {
  return report.limits.empty() ? std::nullopt : std::optional(report.limits);
}
std::optional<std::vector<MeasuredRoom>> ShortOfRoom(const Report& report) {
  return report.short_of_room.empty() ? std::nullopt : std::optional(report.short_of_room);
}

std::optional<std::string> FailureOf(const Report& report) {
  return report.failed.empty() ? std::nullopt : std::optional(report.failed);
}

template <class Value, Value Report::*kFigure>
Value BeforeIt(const UnchangedRun& run) {
  return (*run.report).*kFigure;
}

const Fields<UnchangedRun>& UnchangedFields() {
  using U = UnchangedRun;
  static const auto fields =
      Fields<U>("report_unchanged", "The same policy without what is supposed.")
          .Says("makespan_ns", as::WholeNanos(), BeforeIt<Nanos, &Report::makespan>)
          .Says("throughput_per_s", Figure(), BeforeIt<double, &Report::throughput_per_s>)
          .Says("missed", Count(), BeforeIt<std::int64_t, &Report::missed>)
          .Says("dropped", Count(), BeforeIt<std::int64_t, &Report::dropped>)
          .Says("energy_j", FigureOrNull(), BeforeIt<std::optional<double>, &Report::energy_j>)
          .Says("latency_ns", as::ObjectOf(LatencyFields()), BeforeIt<Latency, &Report::latency>)
          .Says("objective", as::ObjectOf(ObjectiveFields()),
                [](const U& run) { return ObjectiveOf(*run.report); })
          .Says("makespan_interval_ns", Ends(as::WholeNanos()),
                [](const U& run) { return IntervalOf<&ReportDraws::makespan>(*run.report); })
          .Needed("winner", &U::best, as::Boolean(), "By the objective, of all policies that were run.")
          .Says(
              "objective_change_interval", Ends(as::Number(std::numeric_limits<double>::lowest())),
              [](const U& run) {
                return run.change ? std::optional(std::vector{run.change->low, run.change->high})
                                  : std::nullopt;
              },
              "How much the objective changes, as a share of what it was, over draws of one luck.")
          .MaySay("failed", as::Text(), [](const U& run) { return FailureOf(*run.report); });
  return fields;
}

std::optional<std::vector<WhatIf>> SupposedOf(const Report& report) {
  return report.what_if.empty() ? std::nullopt : std::optional(report.what_if);
}

std::optional<Nanos> ByOtherPhysics(const Report& report, bool fluid) {
  if (!report.other_physics || report.IsFluid() != fluid) return std::nullopt;
  return report.other_physics->makespan;
}
std::optional<Nanos> ExactMakespanOf(const Report& fluid) { return ByOtherPhysics(fluid, true); }
std::optional<Nanos> FluidMakespanOf(const Report& exact) { return ByOtherPhysics(exact, false); }

const Fields<Report>& ReportFields() {
  using R = Report;
  static const auto fields =
      Fields<R>("report",
                "what one policy did on a scenario; `tandem simulate --json` prints a list of these")
          .Kind("report/1")
          .Needed("policy", &R::policy, as::Words())
          .Needed("label", &R::label, as::Words())
          .Needed("engine", &R::engine, as::WordOf({"simgrid", "virtual", "fluid", "device"}))
          .Optional("granularity", &R::granularity, as::OneOf(kGranularityNames, "granularity"))
          .Needed("clairvoyant", &R::clairvoyant, as::Boolean(),
                  "Sees all arrivals; else what has been released.")
          .Needed("seed", &R::seed, as::Unsigned())
          .Needed("complete", &R::complete, as::Boolean(),
                  "Else cut short: the figures are of what was complete by then.")
          .MaySay("failed", as::Text(), FailureOf, "Why the policy has no run; its figures say nothing.")
          .Needed("makespan_ns", &R::makespan, as::WholeNanos())
          .OnNewLine()
          .MaySay(
              "set_by_arrivals", as::Boolean(),
              [](const Report& report) {
                return IsSetByArrivals(report) ? std::optional(true) : std::nullopt;
              },
              "The makespan: 90 % of it are over when the last request comes by the clock. Absent where it "
              "is not.")
          .MaySay("exact_makespan_ns", as::WholeNanos(), ExactMakespanOf,
                  "Of the fluid engine: by tandem's own rules. How far the two are apart is how uncertain is "
                  "what units and copies cost each other; all intervals reach as far.")
          .MaySay("fluid_makespan_ns", as::WholeNanos(), FluidMakespanOf,
                  "Of the exact engines, under `tandem simulate --contention`: by SimGrid's own physics; the "
                  "same of the intervals.")
          .Needed("throughput_per_s", &R::throughput_per_s, Figure(),
                  "Completed inferences over the makespan.")
          .Needed("bound_ns", &R::bound, as::OrNull(as::WholeNanos()), "No schedule has a smaller makespan.")
          .Needed("bound_why", &R::bound_why, as::TextOrNull(), "Why there is no bound.")
          .Needed("gap", &R::gap, as::OrNull(as::Number(std::numeric_limits<double>::lowest())),
                  "makespan / bound - 1")
          .Needed("objective_bound", &R::objective_bound, FigureOrNull(),
                  "No schedule has a better objective, in its unit.")
          .Needed("objective_gap", &R::objective_gap,
                  as::OrNull(as::Number(std::numeric_limits<double>::lowest())),
                  "How much worse than its bound the objective is, as a share of the better one's.")
          .Needed("energy_j", &R::energy_j, FigureOrNull())
          .OnNewLine()
          .Needed("energy_per_inference_j", &R::energy_per_inference_j, FigureOrNull())
          .Needed("energy_why", &R::energy_why, as::TextOrNull(), "Why there is no energy.")
          .Optional("plugin_energy_j", &R::plugin_energy_j, Figure(),
                    "Of the fluid engine: as SimGrid's own energy plugin counts it, where all units have "
                    "watts.")
          .Needed("estimated", &R::estimated, as::ListOf(as::Text()),
                  "What was taken for want of a measurement, a sentence each: slowdowns under a load that no "
                  "profile has.")
          .Needed("profiles", &R::profiles, UsedProfiles())
          .OnNewLine()
          .MaySay("short_of_room", as::ListOf(as::ObjectOf(MeasuredRoomFields())), ShortOfRoom,
                  "Memories that have, or may have, no room for what their units hold.")
          .Says("objective", as::ObjectOf(ObjectiveFields()), ObjectiveOf)
          .OnNewLine()
          .Needed("released", &R::released, Count())
          .Needed("completed", &R::completed, Count())
          .Needed("dropped", &R::dropped, Count())
          .Needed("missed", &R::missed, Count())
          .Needed("inferences", &R::inferences, Count())
          .Needed("latency_ns", &R::latency, as::ObjectOf(LatencyFields()),
                  "Over the requests of all streams.")
          .OnNewLine()
          .Says(
              "interval", as::OrNull(as::Number(0, 1)), ProbabilityOf,
              "With this probability a figure lies in its interval, [low, high]; null where nothing is known "
              "of how sure the profiles are.")
          .OnNewLine()
          .Says("interval_why", as::TextOrNull(), WhyNoInterval, "Why there are no intervals.")
          .MaySay(
              "interval_lacks", as::Text(),
              [](const R& report) {
                std::string text = DriftText(report);
                return text.empty() ? std::nullopt : std::optional(std::move(text));
              },
              "What no interval tells of: the drift of what was measured, where nobody measured it.")
          .Says("makespan_interval_ns", Ends(as::WholeNanos()), IntervalOf<&ReportDraws::makespan, R>)
          .Says("makespan_median_ns", as::OrNull(as::WholeNanos()), MedianMakespan,
                "Over the draws: what to expect of a device. `makespan_ns` is of the run in which every task "
                "takes "
                "its median.")
          .Says("throughput_interval_per_s", Ends(Figure()), IntervalOf<&ReportDraws::throughput_per_s, R>)
          .Says("energy_interval_j", Ends(Figure()), IntervalOf<&ReportDraws::energy_j, R>)
          .Says("energy_per_inference_interval_j", Ends(Figure()),
                IntervalOf<&ReportDraws::energy_per_inference_j, R>)
          .Says("missed_interval", Ends(Count()), IntervalOf<&ReportDraws::missed, R>)
          .Says("latency_interval_ns", LatencyIntervals(), LatencyDraws<&ReportDraws::latency, R>)
          .MaySay("slowdown_interval", as::ListOf(Figure(), {.least = 2, .most = 2}),
                  IfCompared<Objective::kSlowdown>,
                  "Of the stream that is worst off, where policies are compared by it.")
          .MaySay("balanced_gain_interval", as::ListOf(Figure(), {.least = 2, .most = 2}),
                  IfCompared<Objective::kBalancedGain>, "Where policies are compared by it.")
          .Says("win_probability", as::OrNull(as::Number(0, 1)), WinProbability,
                "In what share of the draws it is best by the objective of all policies that were run.")
          .MaySay(
              "win_probability_why", as::Text(),
              [](const R& report) {
                return report.win_why.empty() ? std::nullopt : std::optional(report.win_why);
              },
              "Why that is not known: a policy that may be the best has no draws.")
          .MaySay("limits", as::ListOf(as::ObjectOf(LimitFields())), LimitsOf, "Of the scenario.")
          .OnNewLine()
          .MaySay("what_if", as::ListOf(as::ObjectOf(WhatIfFields())), SupposedOf,
                  "What is supposed beside what the files say.")
          .OnNewLine()
          .Optional("unchanged", &R::unchanged, as::ObjectOf(UnchangedFields()))
          .OnNewLine()
          .MaySay("xrbench", as::ObjectOf(OverallFields()), OverallOf)
          .OnNewLine()
          .MaySay("residents", ResidentsPerUnit(), ResidentsOf,
                  "What the units hold that cannot hold every model.")
          .OnNewLine()
          .Optional("search", &R::search, as::ObjectOf(SearchStoryFields()))
          .OnNewLine()
          .Optional("replications", &R::replications, as::ObjectOf(ReplicationFields()))
          .OnNewLine()
          .Needed("streams", &R::streams, as::LinesOf(as::ObjectOf(StreamFields()), "\n   ", {.least = 1}))
          .OnNewLine()
          .Needed("units", &R::units, as::LinesOf(as::ObjectOf(UnitFields()), "\n   ", {.least = 1}))
          .OnNewLine();
  return fields;
}

const FileKindRegistration kKind{{"report/1", AsAnyFields<Report, ReportFields>}};

}  // namespace

std::string ReportJson(const Report& report) { return " " + ReportFields().Text(report); }

std::string ReportsJson(const std::vector<Report>& reports) {
  std::string list;
  for (const Report& report : reports) list += (list.empty() ? "\n" : ",\n") + ReportJson(report);
  return "[" + list + "\n]\n";
}

}  // namespace tandem
