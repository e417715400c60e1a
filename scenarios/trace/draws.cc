// What draws made of the runs of a trace, as its file has it.
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

void FigureAscends(const JsonReader& value, const TraceFigure& figure, Context) {
  if (figure.low > figure.median) value.Get("median").Fail("is below \"low\"");
  if (figure.median > figure.high) value.Get("high").Fail("is below \"median\"");
}

// Whoever made the file: what is read becomes whole nanoseconds.
void CheckTime(const JsonReader& value, const TraceFigure& figure) {
  if (figure.low < 0) value.Get("low").Fail("a time is not below 0");
  if (figure.high > static_cast<double>(kLongestTime.count()))
    value.Get("high").Fail("times stay below 2^53 ns");
}

void TimesAreTimes(const JsonReader& value, const TraceDrawn& drawn, Context) {
  CheckTime(value.Get("makespan_ns"), drawn.makespan);
  if (!drawn.latency) return;
  const JsonReader latency = value.Get("latency_ns");
  CheckTime(latency.Get("mean"), drawn.latency->mean);
  CheckTime(latency.Get("p50"), drawn.latency->p50);
  CheckTime(latency.Get("p90"), drawn.latency->p90);
  CheckTime(latency.Get("p95"), drawn.latency->p95);
  CheckTime(latency.Get("p99"), drawn.latency->p99);
}

const Fields<TraceFigure>& FigureFields() {
  using F = TraceFigure;
  static const auto fields = Fields<F>("trace_figure", "Over draws of the times.")
                                 .Needed("low", &F::low, as::Figure())
                                 .Needed("median", &F::median, as::Figure(), "What to expect of a device.")
                                 .Needed("high", &F::high, as::Figure())
                                 .Rule(FigureAscends);
  return fields;
}

const Fields<TraceLatencies>& LatencyFields() {
  using L = TraceLatencies;
  static const auto fields = Fields<L>("trace_drawn_latency", "Over all requests.")
                                 .Needed("mean", &L::mean, as::ObjectOf(FigureFields()))
                                 .Needed("p50", &L::p50, as::ObjectOf(FigureFields()))
                                 .Needed("p90", &L::p90, as::ObjectOf(FigureFields()))
                                 .Needed("p95", &L::p95, as::ObjectOf(FigureFields()))
                                 .Needed("p99", &L::p99, as::ObjectOf(FigureFields()));
  return fields;
}

const Fields<TraceDrawn>& DrawnFields() {
  using D = TraceDrawn;
  static const auto fields =
      Fields<D>("trace_drawn")
          .Needed("policy", &D::policy, as::Name(), "Its label.")
          .Needed("makespan_ns", &D::makespan, as::ObjectOf(FigureFields()))
          .Optional("objective", &D::objective, as::ObjectOf(FigureFields()),
                    "Absent: not every draw has it.")
          .Optional("latency_ns", &D::latency, as::ObjectOf(LatencyFields()))
          .Optional("win_probability", &D::win_probability, as::Number(0, 1),
                    "In what share of the draws none of the others is better by the objective.")
          .Rule(TimesAreTimes);
  return fields;
}

}  // namespace

const Fields<TraceDraws>& DrawsOfRunsFields() {
  using D = TraceDraws;
  static const auto fields =
      Fields<D>("trace_draws",
                "What draws of the times made of the runs, in which every task takes its median and which so "
                "may be shorter than what is to be expected.")
          .Needed("objective", &D::objective, as::OneOf(kObjectiveNames, "objective"))
          .Needed("interval", &D::probability, as::Number(0, 1),
                  "The probability that a figure lies between its low and its high one.")
          .Needed("policies", &D::policies, as::ListOf(as::ObjectOf(DrawnFields())));
  return fields;
}

}  // namespace tandem
