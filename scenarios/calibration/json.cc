#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/calibration/report.h"
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

CodecOf<std::int64_t> Count() { return as::Integer(0); }
CodecOf<Nanos> Time() { return as::WholeNanos(Nanos{0}, Nanos::max()); }
CodecOf<Nanos> Difference() { return as::WholeNanos(Nanos::min(), Nanos::max()); }
// A fraction, or a figure in the objective's unit; null: it cannot be told.
CodecOf<std::optional<double>> FigureOrNull() { return as::OrNull(as::Figure()); }

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

const Fields<PolicyCalibration>& PolicyFields() {
  using P = PolicyCalibration;
  static const auto fields =
      Fields<P>("calibration_policy")
          .Needed("policy", &P::policy, as::Text())
          .Needed("label", &P::label, as::Text())
          .Needed("predicted_ns", &P::predicted, Time(), "The makespan.")
          .Says("measured_ns", as::OrNull(Time()), MeasuredMakespan, "The lower median of the runs.")
          .Says("runs_ns", as::ListOf(Time()), RunTimes)
          .Says("error", FigureOrNull(), OfMakespan<&TimeError::error>)
          .Says("spread", FigureOrNull(), OfMakespan<&TimeError::spread>)
          .Needed("correct", &P::correct, as::OrNull(as::Boolean()), "null: no output was looked at.")
          .Needed("predicted", &P::predicted_objective, FigureOrNull(), "In the objective's unit.")
          .Says("measured", FigureOrNull(), Of<&P::measured_objective>)
          .Says("objective_spread", FigureOrNull(), Of<&P::objective_spread>)
          .Needed("predicted_energy_j", &P::predicted_joules, FigureOrNull())
          .Says("measured_energy_j", FigureOrNull(), Of<&P::measured_joules>,
                "The lower median, where every run has it.")
          .Says("energy_error", FigureOrNull(), Of<&P::joules_error>)
          .Needed("beside", &P::beside, as::Boolean(), "Clairvoyant: shown, never the winner.")
          .Needed("cut_short", &P::cut_short, Count());
  return fields;
}

// The winners by their labels.
struct Winner {
  std::optional<std::string> predicted, measured;
  WinnerCalibration figures;
};
Winner WinnerOf(const CalibrationReport& report) {
  const auto label = [&](std::optional<std::size_t> position) {
    return position ? std::optional(report.policies[*position].label) : std::nullopt;
  };
  return {label(report.winner.predicted), label(report.winner.measured), report.winner};
}

const Fields<Winner>& WinnerFields() {
  using W = WinnerCalibration;
  const auto figures =
      Fields<W>()
          .Needed("regret", &W::regret, FigureOrNull(),
                  "The predicted winner as measured / the best as measured - 1.")
          .Needed("kendall_tau", &W::kendall_tau, as::OrNull(as::Figure(-1, 1)))
          .Needed("pairs", &W::pairs, Count(), "Of policies that differ by more than the spread.")
          .Needed("spread", &W::spread, as::OrNull(as::Figure(0)),
                  "Of the objective of the two winners, the larger; null: one of them ran only once.")
          .Needed("wrong", &W::wrong, as::Boolean(), "The regret is larger than the spread.")
          .Needed("unknown", &W::unknown, as::Boolean(),
                  "Whether it is wrong: the two differ, and one of them ran only once.");
  static const auto fields = Fields<Winner>("calibration_winner")
                                 .Needed("predicted", &Winner::predicted, as::OrNull(as::Text()), "A label.")
                                 .Needed("measured", &Winner::measured, as::OrNull(as::Text()))
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

template <std::size_t kFigure>
TimeError FigureOf(const LatencyCalibration& latency) {
  return latency.figures[kFigure];
}

const Fields<LatencyCalibration>& PercentileFields() {
  static const auto fields =
      Fields<LatencyCalibration>("calibration_percentiles", "Of the latencies of all requests.")
          .Needed("label", &LatencyCalibration::label, as::Text())
          .Says(kLatencyFigures[0], as::ObjectOf(TimeFields()), FigureOf<0>)
          .Says(kLatencyFigures[1], as::ObjectOf(TimeFields()), FigureOf<1>)
          .Says(kLatencyFigures[2], as::ObjectOf(TimeFields()), FigureOf<2>)
          .Says(kLatencyFigures[3], as::ObjectOf(TimeFields()), FigureOf<3>);
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

const Fields<CalibrationReport>& ReportFields() {
  using R = CalibrationReport;
  static const auto fields =
      Fields<R>(
          "calibration",
          "prediction against measurement; `tandem compare --json` and `tandem validate --json` print it")
          .Kind("calibration/1")
          .Needed("scenario", &R::scenario, as::Text())
          .Needed("objective", &R::objective, as::OneOf(kObjectiveNames, "objective"))
          .Needed("policies", &R::policies, as::ListOf(as::ObjectOf(PolicyFields())))
          .Says("winner", as::ObjectOf(WinnerFields()), WinnerOf)
          .Says("layers", ListOfWork<SpanKind::kCompute>("calibration_layers"), SpansOf<SpanKind::kCompute>)
          .Says("transfers", ListOfWork<SpanKind::kTransfer>("calibration_transfer"),
                SpansOf<SpanKind::kTransfer>)
          .Says("loads", ListOfWork<SpanKind::kLoad>("calibration_load"), SpansOf<SpanKind::kLoad>)
          .Needed("percentiles", &R::latencies, as::ListOf(as::ObjectOf(PercentileFields())))
          .Needed("sources", &R::differences, as::ListOf(as::ObjectOf(SourceFields())),
                  "Predicted - measured, of the run with the median makespan.")
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
