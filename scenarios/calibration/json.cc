#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/calibration/json_interval.h"
#include "scenarios/calibration/report.h"
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

CodecOf<std::int64_t> Count() { return as::Integer(0); }
CodecOf<Nanos> Time() { return as::WholeNanos(Nanos{0}, Nanos::max()); }
CodecOf<Nanos> Difference() { return as::WholeNanos(Nanos::min(), Nanos::max()); }
CodecOf<BarVerdict> VerdictWord() { return as::OneOf(kBarVerdictNames, "verdict"); }
CodecOf<std::optional<std::int64_t>> RunsOrNull() { return as::OrNull(as::Integer(2)); }
// A fraction, or a figure in the objective's unit; null: it cannot be told.
CodecOf<std::optional<double>> FigureOrNull() { return as::OrNull(as::Figure()); }

using Times = std::optional<std::vector<Nanos>>;
Times TimesOf(const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  return Times({Nanos{std::llround(std::max(interval->low, 0.0))}, Nanos{std::llround(interval->high)}});
}
CodecOf<Times> TimesOrNull() { return as::OrNull(as::ListOf(Time())); }

// Of the figure that the owner has in nanoseconds.
template <class Owner, class Get>
void AddJudgement(Fields<Owner>& fields, Get judged) {
  fields
      .Says(
          "predicted_interval_ns", TimesOrNull(),
          [=](const Owner& of) { return TimesOf(judged(of).predicted); },
          "[low, high]; null: nothing is known of how uncertain it is, as the policy's interval_why says.")
      .Says(
          "measured_interval_ns", TimesOrNull(),
          [=](const Owner& of) { return TimesOf(judged(of).measured); },
          "Of the median; null: fewer than two runs count.")
      .Says("error_interval", LimitsOrNull(), [=](const Owner& of) { return LimitsOf(judged(of).error); })
      .Says(
          "verdict", VerdictWord(), [=](const Owner& of) { return judged(of).verdict; },
          "Whether the error is in its bar; unknown: so many runs cannot tell.")
      .Says(
          "runs_needed", RunsOrNull(), [=](const Owner& of) { return judged(of).runs.needed; },
          "Where the verdict is unknown, an estimate; null: it is more than 1000, no number of runs would "
          "tell, "
          "or nothing tells how runs scatter.");
}

// Where that is another prediction than the one that is judged: `planned` of the owner.
template <class Owner, class Get>
void AddPlanned(Fields<Owner>& fields, Get planned) {
  fields
      .MaySay(
          "planned_ns", Time(),
          [=](const Owner& of) -> std::optional<Nanos> {
            const std::optional<PlannedTime> plan = planned(of);
            return plan ? std::optional(plan->time) : std::nullopt;
          },
          "As predicted before the runs, for the state of the profiles; absent: predicted_ns is that.")
      .MaySay(
          "planned_interval_ns", TimesOrNull(),
          [=](const Owner& of) -> std::optional<Times> {
            const std::optional<PlannedTime> plan = planned(of);
            if (!plan) return std::nullopt;
            return std::optional<Times>(std::in_place, TimesOf(plan->judged.predicted));
          },
          "Of that; null: as predicted_interval_ns.")
      .MaySay(
          "planned_verdict", VerdictWord(),
          [=](const Owner& of) -> std::optional<BarVerdict> {
            const std::optional<PlannedTime> plan = planned(of);
            return plan ? std::optional(plan->judged.verdict) : std::nullopt;
          },
          "Whether that was in the bar.");
}

const Fields<TimeError>& TimeFields() {
  static const auto fields = Fields<TimeError>("calibration_time")
                                 .Needed("predicted_ns", &TimeError::predicted, Time())
                                 .Needed("measured_ns", &TimeError::measured, Time(), "The lower median.")
                                 .Needed("error", &TimeError::error, FigureOrNull())
                                 .Needed("spread", &TimeError::spread, FigureOrNull());
  return fields;
}

std::optional<Nanos> MeasuredMakespan(const PolicyCalibration& policy) {
  const auto makespan = policy.makespan();
  return makespan ? std::optional(makespan->measured) : std::nullopt;
}
template <std::optional<double> TimeError::*kFigure>
std::optional<double> OfMakespan(const PolicyCalibration& policy) {
  const auto makespan = policy.makespan();
  return makespan ? (*makespan).*kFigure : std::nullopt;
}
template <std::optional<double> (PolicyCalibration::*kFigure)() const>
std::optional<double> Of(const PolicyCalibration& policy) {
  return (policy.*kFigure)();
}
std::vector<Nanos> RunTimes(const PolicyCalibration& policy) {
  std::vector<Nanos> times;
  for (const PolicyCalibration::Run& run : policy.runs) times.push_back(run.makespan);
  return times;
}

Fields<PolicyCalibration> PolicyFieldsMade() {
  using P = PolicyCalibration;
  Fields<P> fields("calibration_policy");
  fields.Needed("policy", &P::policy, as::Text())
      .Needed("label", &P::label, as::Text())
      .Needed("predicted_ns", &P::predicted, Time(), "The makespan.");
  AddPlanned(fields, [](const P& policy) { return policy.planned; });
  fields.Says("measured_ns", as::OrNull(Time()), MeasuredMakespan, "The lower median of the runs that count.")
      .Says("runs_ns", as::ListOf(Time()), RunTimes)
      .Says(
          "disturbed", Count(), [](const P& policy) { return policy.disturbed(); },
          "So many of the runs do not count: others had the machine, by its own reading, or heat held its "
          "clocks back.")
      .Says(
          "counts", as::Boolean(), [](const P& policy) { return policy.counts(); },
          "Whether any run does: it was not disturbed, and no output is wrong. Where none does its figures "
          "are "
          "shown, and judged by nobody.")
      .Says("error", FigureOrNull(), OfMakespan<&TimeError::error>)
      .Says("spread", FigureOrNull(), OfMakespan<&TimeError::spread>);
  AddJudgement(fields, [](const P& policy) { return policy.of_makespan; });
  fields
      .Says(
          "interval_why", as::TextOrNull(),
          [](const P& policy) { return policy.of_makespan.predicted ? std::string() : policy.interval_why; },
          "Why what is predicted of it has no intervals.")
      .Needed("correct", &P::correct, as::OrNull(as::Boolean()), "null: no output was looked at.")
      .Needed("predicted", &P::predicted_objective, FigureOrNull(), "In the objective's unit.")
      .Says("measured", FigureOrNull(), Of<&P::measured_objective>)
      .Says(
          "predicted_interval", LimitsOrNull(), [](const P& p) { return LimitsOf(p.of_objective.predicted); },
          "null: as predicted_interval_ns, or some draws have no such figure.")
      .Says("measured_interval", LimitsOrNull(), [](const P& p) { return LimitsOf(p.of_objective.measured); })
      .Says("objective_error", FigureOrNull(), Of<&P::objective_error>)
      .Says("objective_error_interval", LimitsOrNull(),
            [](const P& p) { return LimitsOf(p.of_objective.error); })
      .Says("objective_verdict", VerdictWord(), [](const P& p) { return p.of_objective.verdict; })
      .Says("objective_runs_needed", RunsOrNull(), [](const P& p) { return p.of_objective.runs.needed; })
      .Says("objective_spread", FigureOrNull(), Of<&P::objective_spread>)
      .Needed("predicted_energy_j", &P::predicted_joules, FigureOrNull())
      .Says("measured_energy_j", FigureOrNull(), Of<&P::measured_joules>,
            "The lower median, where every run has it.")
      .Says("energy_error", FigureOrNull(), Of<&P::joules_error>)
      .Needed("beside", &P::beside, as::Boolean(), "Clairvoyant: shown, never the winner.")
      .Needed("cut_short", &P::cut_short, Count());
  return fields;
}
const Fields<PolicyCalibration>& PolicyFields() {
  static const auto fields = PolicyFieldsMade();
  return fields;
}

const Fields<ModelAlone>& AloneFields() {
  using A = ModelAlone;
  static const auto fields =
      Fields<A>("calibration_alone")
          .Needed("unit", &A::unit, as::Text())
          .Needed("model", &A::model, as::Text())
          .Needed("batch", &A::batch, Count())
          .Needed("profiled_ns", &A::profiled, Time())
          .Needed("measured_ns", &A::measured, Time(), "The lower median over the runs of each run's median.")
          .Needed("measured_error", &A::error, as::Figure(0),
                  "Relative standard error, by the runs' scatter.")
          .Needed("runs", &A::runs, Count());
  return fields;
}

// The winners by their labels.
struct Winner {
  std::optional<std::string> predicted, measured, instead_of;
  std::optional<std::map<std::string, double>> probability;
  WinnerCalibration figures;
};
Winner WinnerOf(const CalibrationReport& report) {
  const auto label = [&](std::optional<std::size_t> position) {
    return position ? std::optional(report.policies[*position].label) : std::nullopt;
  };
  std::map<std::string, double> probability;
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.win_probability) probability[policy.label] = *policy.win_probability;
  }
  return {label(report.winner.predicted), label(report.winner.measured), label(report.winner.instead_of),
          probability.empty() ? std::nullopt : std::optional(probability), report.winner};
}

const Fields<Winner>& WinnerFields() {
  using W = WinnerCalibration;
  const auto figures =
      Fields<W>()
          .Needed("regret", &W::regret, FigureOrNull(),
                  "The predicted winner as measured / the best as measured - 1, on runs that did not choose "
                  "the best.")
          .Says("regret_interval", LimitsOrNull(),
                [](const W& winner) { return LimitsOf(winner.regret_interval); })
          .Needed("verdict", &W::verdict, VerdictWord(),
                  "Whether the regret is in its bar, and the scenario's limits are kept as well as any keeps "
                  "them.")
          .Needed("limits", &W::limits, as::OrNull(VerdictWord()),
                  "Whether the predicted winner keeps the scenario's limits as well as any; null: there are "
                  "none.")
          .Says(
              "runs_needed", RunsOrNull(), [](const W& winner) { return winner.runs.needed; },
              "As that of policies.")
          .Needed("kendall_tau", &W::kendall_tau, as::OrNull(as::Figure(-1, 1)))
          .Needed("pairs", &W::pairs, Count(), "Of policies that are told apart.")
          .Needed("spread", &W::spread, as::OrNull(as::Figure(0)),
                  "Of the objective of the two winners, the larger; null: one of them ran only once.")
          .Says(
              "wrong", as::Boolean(), [](const W& winner) { return winner.verdict == BarVerdict::kOutside; },
              "It loses more than the bar for sure.")
          .Says(
              "unknown", as::Boolean(),
              [](const W& winner) { return winner.verdict == BarVerdict::kUnknown; }, "Whether it is wrong.");
  static const auto fields =
      Fields<Winner>("calibration_winner")
          .Needed("predicted", &Winner::predicted, as::OrNull(as::Text()),
                  "A label: whom `tandem plan` takes.")
          .Optional(
              "instead_of", &Winner::instead_of, as::Text(),
              "The best by its predicted value, where the winner is simpler and cannot be told from it.")
          .Needed("measured", &Winner::measured, as::OrNull(as::Text()))
          .Needed("probability", &Winner::probability, as::OrNull(as::MapOf(as::Figure(0, 1))),
                  "That a policy is the best, as predicted, by label.")
          .Part(&Winner::figures, figures);
  return fields;
}

const Fields<LayerPart>& PartFields() {
  static const auto fields = Fields<LayerPart>("calibration_part")
                                 .Needed("axis", &LayerPart::axis, as::OneOf(kSplitAxisNames, "axis"))
                                 .Needed("first", &LayerPart::first, as::Integer(0))
                                 .Needed("end", &LayerPart::end, as::Integer(1));
  return fields;
}

// All kinds of work; each has keys of its own.
Fields<SpanCalibration> WorkFields(std::string_view name, SpanKind kind) {
  using S = SpanCalibration;
  Fields<S> fields(name);
  fields.Says("model", as::Text(), [](const S& span) { return span.segment.model; });
  if (kind == SpanKind::kCompute) {
    fields.Says("layers", LayersOrAll(), [](const S& span) { return span.segment.layers; });
    fields.MaySay("part", as::ObjectOf(PartFields()), [](const S& span) { return span.segment.part; });
  }
  if (kind == SpanKind::kTransfer) {
    fields.Needed("tensor", &S::tensor, as::Text());
    fields.Needed("from", &S::from, as::Text()).Needed("to", &S::to, as::Text());
  }
  return fields.Needed("unit", &S::unit, as::TextOrNull(), "null: a copy engine.")
      .Part(&S::time, TimeFields())
      .Needed("predicted_count", &S::predicted_count, Count())
      .Needed("measured_count", &S::measured_count, Count());
}

template <SpanKind kKind>
std::vector<SpanCalibration> SpansOf(const CalibrationReport& report) {
  std::vector<SpanCalibration> spans;
  for (const SpanCalibration& span : report.spans) {
    if (span.kind == kKind) spans.push_back(span);
  }
  return spans;
}

template <SpanKind kKind>
CodecOf<std::vector<SpanCalibration>> ListOfWork(std::string_view name) {
  static const auto fields = WorkFields(name, kKind);
  return as::ListOf(as::ObjectOf(fields));
}

struct JudgedTime {
  TimeError time;
  Judgement judged;
  std::optional<PlannedTime> planned;
};
Fields<JudgedTime> JudgedTimeFieldsMade() {
  Fields<JudgedTime> fields("calibration_percentile");
  fields.Part(&JudgedTime::time, TimeFields());
  AddPlanned(fields, [](const JudgedTime& of) { return of.planned; });
  AddJudgement(fields, [](const JudgedTime& of) { return of.judged; });
  return fields;
}
const Fields<JudgedTime>& JudgedTimeFields() {
  static const auto fields = JudgedTimeFieldsMade();
  return fields;
}

template <std::size_t kFigure>
JudgedTime FigureOf(const LatencyCalibration& latency) {
  return {latency.figures[kFigure], latency.judged[kFigure], latency.planned[kFigure]};
}

template <std::size_t... kFigures>
Fields<LatencyCalibration> PercentileFieldsMade(std::index_sequence<kFigures...>) {
  const auto figure = as::ObjectOf(JudgedTimeFields());
  Fields<LatencyCalibration> fields("calibration_percentiles", "Of the latencies of all requests.");
  fields.Needed("label", &LatencyCalibration::label, as::Text());
  (fields.Says(kLatencyFigures[kFigures].name, figure, FigureOf<kFigures>), ...);
  return fields;
}
const Fields<LatencyCalibration>& PercentileFields() {
  static const auto fields = PercentileFieldsMade(std::make_index_sequence<kLatencyFigures.size()>());
  return fields;
}

const Fields<UnitDifference>& UnitFields() {
  using U = UnitDifference;
  static const auto fields = Fields<U>("calibration_unit")
                                 .Needed("unit", &U::unit, as::Text())
                                 .Needed("slots", &U::slots, as::Integer(1))
                                 .Needed("compute_ns", &U::compute, Difference())
                                 .Needed("transfer_ns", &U::transfer, Difference())
                                 .Needed("load_ns", &U::load, Difference())
                                 .Needed("waiting_ns", &U::waiting, Difference())
                                 .Needed("idle_ns", &U::idle, Difference());
  return fields;
}

const Fields<MakespanDifference>& SourceFields() {
  using M = MakespanDifference;
  static const auto fields = Fields<M>("calibration_source")
                                 .Needed("label", &M::label, as::Text())
                                 .Needed("makespan_ns", &M::makespan, Difference())
                                 .Needed("units", &M::units, as::ListOf(as::ObjectOf(UnitFields())));
  return fields;
}

std::optional<std::vector<ProfileUsed>> ProfilesOf(const CalibrationReport& report) {
  return report.profiles.empty() ? std::nullopt : std::optional(report.profiles);
}

const Fields<CalibrationReport>& ReportFields() {
  using R = CalibrationReport;
  static const auto fields =
      Fields<R>(
          "calibration",
          "prediction against measurement; `tandem compare --json` and `tandem validate --json` print it")
          .Kind("calibration/1")
          .Needed("scenario", &R::scenario, as::Text())
          .Needed("objective", &R::objective, as::OneOf(kObjectiveNames, "objective"))
          .Says(
              "interval", as::Figure(0, 1), [](const R& report) { return report.bars.probability; },
              "The probability of all intervals.")
          .Says(
              "bar", as::Figure(0), [](const R& report) { return report.bars.figure; },
              "Of errors of makespans and objectives.")
          .Says("percentile_bar", as::Figure(0), [](const R& report) { return report.bars.percentile; })
          .Says("regret_bar", as::Figure(0), [](const R& report) { return report.bars.regret; })
          .Needed(
              "coverage", &R::coverage, as::OrNull(as::Figure(0, 1)),
              "The share of measured makespans that lie in their predicted intervals; null: none has one.")
          .Optional("planned_coverage", &R::planned_coverage, as::Figure(0, 1),
                    "The same of planned_interval_ns; absent where there is none.")
          .Needed("policies", &R::policies, as::ListOf(as::ObjectOf(PolicyFields())))
          .Says("winner", as::ObjectOf(WinnerFields()), WinnerOf)
          .Optional("pick", &R::pick, as::ObjectOf(PickFields()))
          .Says("layers", ListOfWork<SpanKind::kCompute>("calibration_layers"), SpansOf<SpanKind::kCompute>)
          .Says("transfers", ListOfWork<SpanKind::kTransfer>("calibration_transfer"),
                SpansOf<SpanKind::kTransfer>)
          .Says("loads", ListOfWork<SpanKind::kLoad>("calibration_load"), SpansOf<SpanKind::kLoad>)
          .Needed("percentiles", &R::latencies, as::ListOf(as::ObjectOf(PercentileFields())))
          .Needed("sources", &R::differences, as::ListOf(as::ObjectOf(SourceFields())),
                  "Predicted - measured, of the run with the median makespan.")
          .Optional("state", &R::state, as::MapOf(as::Figure(0)),
                    "Per unit how many times as long as in its profile its work took while the plans ran, by "
                    "its yardstick; predictions are of that.")
          .Optional(
              "alone", &R::alone, as::ListOf(as::ObjectOf(AloneFields())),
              "Whole models, each alone on a unit, while the plans ran; predictions are of what they took.")
          .MaySay("profiles", UsedProfiles(), ProfilesOf,
                  "Where the predicted times come from; absent where two traces were compared.")
          .Needed("warnings", &R::warnings, as::ListOf(as::Text()))
          .Needed("notes", &R::notes, as::ListOf(as::Text()),
                  "Who was predicted to tie, and that arrivals set the makespan.");
  return fields;
}

const FileKindRegistration kKind{{"calibration/1", AsAnyFields<CalibrationReport, ReportFields>}};

}  // namespace

std::string CalibrationJson(const CalibrationReport& report) {
  return JsonOutput(nlohmann::ordered_json::parse(ReportFields().Text(report)));
}

}  // namespace tandem
