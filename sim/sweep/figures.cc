#include "sim/sweep/figures.h"

#include <algorithm>
#include <array>
#include <optional>

#include "scenarios/report/objective.h"

namespace tandem {
namespace {

using Figure = std::optional<double> (*)(const Report& report);

template <Nanos LatencySummary::*kFigure>
std::optional<double> OfLatency(const Report& report) {
  if (!report.latency) return std::nullopt;
  return static_cast<double>(((*report.latency).*kFigure).count());
}
template <std::int64_t Report::*kCount>
std::optional<double> OfCount(const Report& report) {
  return static_cast<double>(report.*kCount);
}
std::optional<double> MakespanOf(const Report& report) {
  return static_cast<double>(report.makespan.count());
}
std::optional<double> ThroughputOf(const Report& report) { return report.throughput_per_s; }
std::optional<double> EnergyOf(const Report& report) { return report.energy_j; }
std::optional<double> GapOf(const Report& report) { return report.gap; }
std::optional<double> BoundOf(const Report& report) {
  if (!report.bound) return std::nullopt;
  return static_cast<double>(report.bound->count());
}

struct NamedFigure {
  std::string_view name;
  Figure of;
  bool more_is_better = false, needs_bound = false;
};
constexpr std::array<NamedFigure, 14> kFigures = {{{"makespan_ns", MakespanOf},
                                                   {"throughput_per_s", ThroughputOf, true},
                                                   {"mean_latency_ns", OfLatency<&LatencySummary::mean>},
                                                   {"p50_latency_ns", OfLatency<&LatencySummary::p50>},
                                                   {"p90_latency_ns", OfLatency<&LatencySummary::p90>},
                                                   {"p95_latency_ns", OfLatency<&LatencySummary::p95>},
                                                   {"p99_latency_ns", OfLatency<&LatencySummary::p99>},
                                                   {"max_latency_ns", OfLatency<&LatencySummary::max>},
                                                   {"completed", OfCount<&Report::completed>, true},
                                                   {"dropped", OfCount<&Report::dropped>},
                                                   {"missed", OfCount<&Report::missed>},
                                                   {"energy_j", EnergyOf},
                                                   {"bound_ns", BoundOf, true, true},
                                                   {"gap", GapOf, false, true}}};

const NamedFigure* FigureNamed(std::string_view name) {
  const auto found = std::find_if(kFigures.begin(), kFigures.end(),
                                  [&](const NamedFigure& figure) { return figure.name == name; });
  return found == kFigures.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<std::string_view>& RunFigureNames() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const NamedFigure& figure : kFigures) all.push_back(figure.name);
    return all;
  }();
  return names;
}

bool MoreIsBetter(std::string_view figure) {
  const NamedFigure* const named = FigureNamed(figure);
  return named != nullptr && named->more_is_better;
}

bool NeedsBound(std::string_view figure) {
  const NamedFigure* const named = FigureNamed(figure);
  return named != nullptr && named->needs_bound;
}

std::string_view RunFigureOf(Objective objective) {
  switch (objective) {
    case Objective::kMakespan:
      return "makespan_ns";
    case Objective::kThroughput:
      return "throughput_per_s";
    case Objective::kMeanLatency:
      return "mean_latency_ns";
    case Objective::kP99Latency:
      return "p99_latency_ns";
    case Objective::kMisses:
      return "missed";
    case Objective::kEnergy:
      return "energy_j";
  }
  return {};
}

RunFigures RunFiguresOf(const Report& report) {
  RunFigures figures;
  for (const NamedFigure& figure : kFigures) {
    if (const auto value = figure.of(report)) figures.emplace(figure.name, *value);
  }
  return figures;
}

}  // namespace tandem
