#include "scenarios/baseline/figure.h"

#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

constexpr std::string_view kStreams = "streams.";

// A bound is proved in integers, with weights that a solver in floating point has found: another version of
// it may find others that are as good but for the last digits.
constexpr double kBlurOfBounds = 1000;
constexpr double kBlurOfGaps = 1e-6;

double NumberOf(Nanos time) { return static_cast<double>(time.count()); }

template <Nanos LatencySummary::*kTime, class Of>
std::optional<double> LatencyFigure(const Of& of) {
  return of.latency ? std::optional(NumberOf((*of.latency).*kTime)) : std::nullopt;
}
template <std::int64_t Report::*kCount>
std::optional<double> CountFigure(const Report& report) {
  return static_cast<double>(report.*kCount);
}
template <std::int64_t StreamReport::*kCount>
std::optional<double> StreamCountFigure(const StreamReport& stream) {
  return static_cast<double>(stream.*kCount);
}

std::optional<double> BoundFigure(const Report& report) {
  return report.bound ? std::optional(NumberOf(*report.bound)) : std::nullopt;
}

double NumberOf(double value) { return value; }
double NumberOf(std::int64_t count) { return static_cast<double>(count); }

template <class Value>
std::optional<DrawnFigure<double>> InNumbers(const DrawnFigure<Value>& drawn) {
  return DrawnFigure<double>{NumberOf(drawn.low), NumberOf(drawn.median), NumberOf(drawn.high)};
}
template <class Value>
std::optional<DrawnFigure<double>> InNumbers(const std::optional<DrawnFigure<Value>>& drawn) {
  return drawn ? InNumbers(*drawn) : std::nullopt;
}
template <auto kFigure>
std::optional<DrawnFigure<double>> Drawn(const Report& report) {
  return report.draws ? InNumbers((*report.draws).*kFigure) : std::nullopt;
}
template <Nanos LatencySummary::*kTime>
std::optional<DrawnFigure<double>> DrawnLatency(const Report& report) {
  if (!report.draws || !report.draws->latency) return std::nullopt;
  const auto& latency = *report.draws->latency;
  return InNumbers(DrawnFigure<Nanos>{latency.low.*kTime, latency.median.*kTime, latency.high.*kTime});
}
template <Nanos LatencySummary::*kTime>
FigureKind LatencyKind(std::string_view name, std::string_view brief, bool usual = false) {
  return {name,
          brief,
          "ns",
          Better::kLower,
          usual,
          LatencyFigure<kTime, Report>,
          LatencyFigure<kTime, StreamReport>,
          DrawnLatency<kTime>};
}

std::optional<double> AgeFigure(const StreamReport& stream) {
  return stream.age ? std::optional(NumberOf(stream.age->p99)) : std::nullopt;
}
// Of the stream whose results become oldest.
std::optional<double> OldestFigure(const Report& report) {
  std::optional<double> oldest;
  for (const StreamReport& stream : report.streams) oldest = std::max(oldest, AgeFigure(stream));
  return oldest;
}

std::optional<double> SkippedOf(const StreamReport& stream) {
  return stream.skipped ? std::optional(NumberOf(*stream.skipped)) : std::nullopt;
}
// Of all streams that leave requests out by `every`.
std::optional<double> SkippedFigure(const Report& report) {
  std::optional<double> all;
  for (const StreamReport& stream : report.streams) {
    if (stream.skipped) all = all.value_or(0) + NumberOf(*stream.skipped);
  }
  return all;
}

std::vector<FigureKind> AllKinds() {
  using L = LatencySummary;
  using D = ReportDraws;
  std::vector<FigureKind> kinds = {
      {"makespan_ns", "makespan", "ns", Better::kLower, true,
       [](const Report& report) { return std::optional(NumberOf(report.makespan)); }, nullptr,
       Drawn<&D::makespan>},
      {"throughput_per_s", "throughput", "1/s", Better::kHigher, false,
       [](const Report& report) { return std::optional(report.throughput_per_s); },
       [](const StreamReport& stream) { return std::optional(stream.throughput_per_s); },
       Drawn<&D::throughput_per_s>},
      LatencyKind<&L::mean>("mean_latency_ns", "mean"),
      LatencyKind<&L::p50>("p50_latency_ns", "p50"),
      LatencyKind<&L::p90>("p90_latency_ns", "p90"),
      LatencyKind<&L::p95>("p95_latency_ns", "p95"),
      LatencyKind<&L::p99>("p99_latency_ns", "p99", true),
      LatencyKind<&L::max>("max_latency_ns", "max"),
      {"completed", "completions", "requests", Better::kHigher, false, CountFigure<&Report::completed>,
       StreamCountFigure<&StreamReport::completed>},
      {"dropped", "drops", "requests", Better::kLower, false, CountFigure<&Report::dropped>,
       StreamCountFigure<&StreamReport::dropped>},
      // Fewer are skipped where what is followed completes fewer.
      {"skipped", "skips", "requests", Better::kHigher, false, SkippedFigure, SkippedOf},
      {"p99_age_ns", "age", "ns", Better::kLower, false, OldestFigure, AgeFigure},
      {"missed", "misses", "requests", Better::kLower, true, CountFigure<&Report::missed>,
       StreamCountFigure<&StreamReport::missed>, Drawn<&D::missed>},
      {"energy_j", "energy", "J", Better::kLower, false, [](const Report& report) { return report.energy_j; },
       nullptr, Drawn<&D::energy_j>},
      {"slowdown", "slowdown", "times", Better::kLower, false,
       [](const Report& report) { return ObjectiveValue(report, Objective::kSlowdown); },
       [](const StreamReport& stream) { return stream.slowdown; }, Drawn<&D::slowdown>},
      {"balanced_gain", "gain", "times", Better::kHigher, false,
       [](const Report& report) { return ObjectiveValue(report, Objective::kBalancedGain); }, nullptr,
       Drawn<&D::balanced_gain>},
      {"bound_ns", "bound", "ns", Better::kHigher, false, BoundFigure, nullptr, nullptr, true, kBlurOfBounds},
      {"gap", "gap", "", Better::kLower, true, [](const Report& report) { return report.gap; }, nullptr,
       nullptr, true, kBlurOfGaps},
      {"winner", "winner", "", Better::kNeither, true},
  };
  return kinds;
}

// "0.25": files have all digits, people need less.
std::string ToSixDecimals(double value) {
  std::string text = Fixed(value, 6);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// The stream's name may have dots, a figure's has none.
std::string_view LastPart(std::string_view text) {
  return text.starts_with(kStreams) ? text.substr(text.rfind('.') + 1) : text;
}

}  // namespace

const std::vector<FigureKind>& FigureKinds() {
  static const std::vector<FigureKind> kinds = AllKinds();
  return kinds;
}

const FigureKind* FindFigureKind(std::string_view name) {
  for (const FigureKind& kind : FigureKinds()) {
    if (kind.name == name || kind.brief == name) return &kind;
  }
  return nullptr;
}

std::string FigureName::Text() const {
  return (stream.empty() ? "" : std::string(kStreams) + stream + ".") + std::string(kind->name);
}

std::optional<FigureName> FindFigure(std::string_view text) {
  const std::string_view last = LastPart(text);
  const FigureKind* const kind = FindFigureKind(last);
  if (!kind) return std::nullopt;
  if (last.size() == text.size()) return FigureName{kind, {}};
  const std::size_t begin = kStreams.size(), end = text.size() - last.size() - 1;
  if (end <= begin || !kind->of_stream) return std::nullopt;
  return FigureName{kind, std::string(text.substr(begin, end - begin))};
}

std::string WhyNoFigure(std::string_view text) {
  const std::string_view last = LastPart(text);
  const FigureKind* const kind = FindFigureKind(last);
  if (kind && last.size() != text.size() && !kind->of_stream) {
    return "a stream has no figure " + Quoted(last) + " of its own";
  }
  // Where whole names are asked for.
  if (const auto figure = FindFigure(text)) {
    return "unknown figure " + Quoted(text) + "; did you mean " + Quoted(figure->Text()) + "?";
  }
  std::vector<std::string> known;
  for (const FigureKind& each : FigureKinds()) known.emplace_back(each.name);
  return "unknown figure " + Quoted(text) + Suggestion(last, known);
}

std::vector<FigureName> FiguresOf(const Report& report) {
  std::vector<FigureName> all;
  for (const FigureKind& kind : FigureKinds()) all.push_back({&kind, {}});
  if (report.streams.size() < 2) return all;
  for (const StreamReport& stream : report.streams) {
    for (const FigureKind& kind : FigureKinds()) {
      if (kind.of_stream) all.push_back({&kind, stream.name});
    }
  }
  return all;
}

FigureValue ValueOf(const FigureName& figure, const Report& report, const std::string& winner) {
  const auto known = [](const std::optional<double>& value) {
    return value ? FigureValue(*value) : FigureValue();
  };
  if (!figure.kind->of) return winner.empty() ? FigureValue() : FigureValue(winner);
  if (!report.failed.empty()) return {};
  if (figure.stream.empty()) return known(figure.kind->of(report));
  for (const StreamReport& stream : report.streams) {
    if (stream.name == figure.stream) return known(figure.kind->of_stream(stream));
  }
  return {};
}

std::string ValueText(const FigureValue& value, const FigureKind& kind) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  const auto* const number = std::get_if<double>(&value);
  if (!number) return "-";
  if (kind.unit == "ns") return ExactMillis(Nanos{static_cast<std::int64_t>(*number)}) + " ms";
  return ToSixDecimals(*number) + (kind.unit.empty() ? "" : " " + std::string(kind.unit));
}

}  // namespace tandem
