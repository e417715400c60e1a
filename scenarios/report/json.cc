#include "scenarios/report/json.h"

#include <algorithm>

#include "profiles/base/file_kinds.h"
#include "scenarios/report/json_draws.h"
#include "scenarios/report/json_fields.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/unchanged.h"
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

CodecOf<std::optional<double>> FigureOrNull() { return as::OrNull(as::Number(0)); }

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
  return {name,
          ObjectiveValue(report, name),
          std::string(ObjectiveUnit(name)),
          HigherIsBetter(name) ? "higher" : "lower",
          Ends(DrawnIn<&ReportDraws::objective>(report)),
          Median(DrawnIn<&ReportDraws::objective>(report)),
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
          .Needed("interval", &O::interval, as::OrNull(IntervalOf(Figure())))
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

std::optional<XrbenchOverallScore> MedianOverall(const Report& report) {
  const auto median = Median(DrawnIn<&ReportDraws::xrbench_overall>(report));
  return median ? std::optional(XrbenchOverallScore{*median}) : std::nullopt;
}
const Fields<DrawnFigure<double>>& OverallIntervalFields() {
  static const auto fields =
      Fields<DrawnFigure<double>>("report_xrbench_overall_interval")
          .Says("overall", IntervalOf(as::Number(0, 100)), [](const DrawnFigure<double>& drawn) {
            return std::vector<double>{drawn.low, drawn.high};
          });
  return fields;
}

// Where streams may drop requests.
std::optional<DrawnFigure<std::int64_t>> DroppedOf(const Report& report) {
  const bool drops = std::any_of(report.streams.begin(), report.streams.end(),
                                 [](const StreamReport& stream) { return stream.may_drop; });
  return drops ? DrawnIn<&ReportDraws::dropped>(report) : std::nullopt;
}

std::optional<std::vector<UnitResidents>> ResidentsOf(const Report& report) {
  return report.residents.empty() ? std::nullopt : std::optional(report.residents);
}

template <Objective kObjective>
std::optional<DrawnFigure<double>> IfCompared(const Report& report) {
  const bool next = std::find(report.then.begin(), report.then.end(), kObjective) != report.then.end();
  return next || report.objective == kObjective ? DrawnOf(report, kObjective) : std::nullopt;
}

std::optional<double> ProbabilityOf(const Report& report) {
  return report.draws ? std::optional(report.draws->probability) : std::nullopt;
}
std::string WhyNoInterval(const Report& report) { return report.draws ? "" : report.interval_why; }
template <bool PlaceAmong::*kIs>
std::optional<bool> PlaceOf(const Report& report) {
  return report.place ? std::optional((*report.place).*kIs) : std::nullopt;
}

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
  static const auto fields = [] {
    Fields<U> all("report_unchanged", "The same policy without what is supposed.");
    all.Says("makespan_ns", as::WholeNanos(), BeforeIt<Nanos, &Report::makespan>)
        .Says("throughput_per_s", Figure(), BeforeIt<double, &Report::throughput_per_s>)
        .Says("missed", Count(), BeforeIt<std::int64_t, &Report::missed>)
        .Says("dropped", Count(), BeforeIt<std::int64_t, &Report::dropped>)
        .Says("energy_j", FigureOrNull(), BeforeIt<std::optional<double>, &Report::energy_j>)
        .Says("latency_ns", as::ObjectOf(LatencyFields()), BeforeIt<Latency, &Report::latency>)
        .Says("objective", as::ObjectOf(ObjectiveFields()),
              [](const U& run) { return ObjectiveOf(*run.report); });
    SayDrawn(all, {"makespan_interval_ns", "makespan_median_ns"}, as::WholeNanos(),
             [](const U& run) { return DrawnIn<&ReportDraws::makespan>(*run.report); });
    return all.Needed("winner", &U::best, as::Boolean(), "By the objective, of all policies that were run.")
        .Says(
            "objective_change_interval",
            as::OrNull(IntervalOf(as::Number(std::numeric_limits<double>::lowest()))),
            [](const U& run) {
              return run.change ? std::optional(std::vector{run.change->low, run.change->high})
                                : std::nullopt;
            },
            "How much the objective changes, as a share of what it was, over draws of one luck.")
        .MaySay("failed", as::Text(), [](const U& run) { return FailureOf(*run.report); });
  }();
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
  using D = ReportDraws;
  static const auto fields = [] {
    Fields<R> all("report",
                  "what one policy did on a scenario; `tandem simulate --json` prints a list of these");
    all.Kind("report/1")
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
            [](const Report& report) { return IsSetByArrivals(report) ? std::optional(true) : std::nullopt; },
            "The makespan: 90 % of it are over when the last request comes by the clock. Absent where it "
            "is not.")
        .MaySay("exact_makespan_ns", as::WholeNanos(), ExactMakespanOf,
                "Of the fluid engine: by tandem's own rules. How far the two are apart is how uncertain is "
                "what units and copies cost each other; all intervals reach as far.")
        .MaySay("fluid_makespan_ns", as::WholeNanos(), FluidMakespanOf,
                "Of the exact engines, under `tandem simulate --contention`: by SimGrid's own physics; the "
                "same of the intervals.")
        .Needed("throughput_per_s", &R::throughput_per_s, Figure(), "Completed inferences over the makespan.")
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
        .Needed("latency_ns", &R::latency, as::ObjectOf(LatencyFields()), "Over the requests of all streams.")
        .OnNewLine()
        .Says("interval", as::OrNull(as::Number(0, 1)), ProbabilityOf,
              "With this probability a figure lies in its interval, [low, high]; null where nothing is known "
              "of how sure the profiles are.")
        .OnNewLine()
        .Says("interval_why", as::TextOrNull(), WhyNoInterval, "Why there are no intervals.")
        .MaySay(
            "interval_lacks", as::Text(),
            [](const R& report) {
              std::string text = LacksText(report);
              return text.empty() ? std::nullopt : std::optional(std::move(text));
            },
            "What no interval tells of: the drift of what was measured, where nobody measured it, and random "
            "arrivals of other seeds.");
    SayDrawn(all, {"makespan_interval_ns", "makespan_median_ns"}, as::WholeNanos(), DrawnIn<&D::makespan, R>,
             "Over the draws: what to expect of a device. `makespan_ns`, like every figure, is of the run in "
             "which every task takes its median.");
    SayDrawn(all, {"throughput_interval_per_s", "throughput_median_per_s"}, Figure(),
             DrawnIn<&D::throughput_per_s, R>);
    SayDrawn(all, {"energy_interval_j", "energy_median_j"}, Figure(), DrawnIn<&D::energy_j, R>);
    SayDrawn(all, {"energy_per_inference_interval_j", "energy_per_inference_median_j"}, Figure(),
             DrawnIn<&D::energy_per_inference_j, R>);
    SayDrawn(all, {"missed_interval", "missed_median"}, Count(), DrawnIn<&D::missed, R>);
    SayDrawnLatency(all, {"latency_interval_ns", "latency_median_ns"}, DrawnIn<&D::latency, R>);
    MaySayDrawn(all, {"dropped_interval", "dropped_median"}, Count(), DroppedOf);
    MaySayDrawn(all, {"slowdown_interval", "slowdown_median"}, Figure(), IfCompared<Objective::kSlowdown>,
                "Of the stream that is worst off, where policies are compared by it.");
    MaySayDrawn(all, {"balanced_gain_interval", "balanced_gain_median"}, Figure(),
                IfCompared<Objective::kBalancedGain>, "Where policies are compared by it.");
    return all
        .Says("win_probability", as::OrNull(as::Number(0, 1)), WinProbability,
              "In what share of the draws it is best by the objective of all policies that were run.")
        .MaySay(
            "win_probability_why", as::Text(),
            [](const R& report) {
              return report.win_why.empty() ? std::nullopt : std::optional(report.win_why);
            },
            "Why that is not known: a policy that may be the best has no draws.")
        .MaySay("best", as::Boolean(), PlaceOf<&PlaceAmong::best>,
                "By the objective and what breaks ties, of several policies; absent of one, and where nobody "
                "wins.")
        .MaySay("taken", as::Boolean(), PlaceOf<&PlaceAmong::taken>,
                "The best one or the simplest of those that cannot be told from it: whose plan `tandem plan` "
                "writes.")
        .MaySay("not_told_apart", as::Boolean(), PlaceOf<&PlaceAmong::not_told_apart>,
                "The draws cannot tell it from the best.")
        .MaySay(
            "margin_within_error", as::Boolean(),
            [](const R& report) { return report.place ? report.place->within_error : std::nullopt; },
            "Where no draws tell: whether it is behind the best by no more than the profiles' error, so that "
            "the best is no winner over it; absent of the best one, and where that error is not known.")
        .MaySay("limits", as::ListOf(as::ObjectOf(LimitFields())), LimitsOf, "Of the scenario.")
        .OnNewLine()
        .MaySay("what_if", as::ListOf(as::ObjectOf(WhatIfFields())), SupposedOf,
                "What is supposed beside what the files say.")
        .OnNewLine()
        .Optional("unchanged", &R::unchanged, as::ObjectOf(UnchangedFields()))
        .OnNewLine()
        .MaySay("xrbench", as::ObjectOf(OverallFields()), OverallOf)
        .MaySay("xrbench_interval", as::ObjectOf(OverallIntervalFields()), DrawnIn<&D::xrbench_overall, R>)
        .MaySay("xrbench_median", as::ObjectOf(OverallFields()), MedianOverall)
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
  }();
  return fields;
}

// How far off the times may be, by the least sure profile; nothing: that is not known of one.
std::optional<double> ErrorOfTimes(const Report& report) {
  std::optional<double> most;
  for (const ProfileUsed& profile : report.profiles) {
    if (!profile.origin.error) return std::nullopt;
    most = std::max(most.value_or(0), *profile.origin.error);
  }
  return most;
}

void SetWithinError(const Ranking& ranking, std::vector<Report>& reports) {
  const Objective objective = reports[0].objective;
  const std::size_t best = ranking.winners.front();
  const auto least = ObjectiveValue(reports[best], objective);
  if (HowTold(reports) == ToldBy::kDraws || !least || *least <= 0) return;
  for (const std::size_t i : Contenders(reports, objective)) {
    const auto value = ObjectiveValue(reports[i], objective), error = ErrorOfTimes(reports[i]);
    if (i == best || !value || *value <= 0 || !error) continue;
    const double behind = HigherIsBetter(objective) ? *least / *value - 1 : *value / *least - 1;
    reports[i].place->within_error = behind <= *error;
  }
}

std::vector<Report> Placed(std::vector<Report> reports) {
  if (reports.size() < 2 || reports[0].replications) return reports;  // what replications say stands there
  const Ranking ranking = RankReports(reports, reports[0].objective);
  if (!ranking.taken) return reports;
  for (Report& report : reports) report.place = PlaceAmong{};
  reports[ranking.winners.front()].place->best = true;
  reports[*ranking.taken].place->taken = true;
  for (const std::size_t close : ranking.close) reports[close].place->not_told_apart = true;
  SetWithinError(ranking, reports);
  return reports;
}

const FileKindRegistration kKind{{"report/1", AsAnyFields<Report, ReportFields>}};

}  // namespace

std::string ReportJson(const Report& report) { return " " + ReportFields().Text(report); }

std::string ReportsJson(const std::vector<Report>& reports) {
  std::string list;
  for (const Report& report : Placed(reports)) list += (list.empty() ? "\n" : ",\n") + ReportJson(report);
  return "[" + list + "\n]\n";
}

}  // namespace tandem
