#include "sim/sweep/figures.h"

#include "scenarios/baseline/figure.h"
#include "scenarios/report/objective.h"

namespace tandem {

namespace {

template <class Has>
std::vector<std::string_view> NamesOf(const Has& has) {
  std::vector<std::string_view> names;
  for (const FigureKind& kind : FigureKinds()) {
    if (has(kind)) names.push_back(kind.name);
  }
  return names;
}

}  // namespace

const std::vector<std::string_view>& RunFigureNames() {
  static const auto names = NamesOf([](const FigureKind& kind) { return kind.of != nullptr; });
  return names;
}

const std::vector<std::string_view>& DrawnFigureNames() {
  static const auto names = NamesOf([](const FigureKind& kind) { return kind.drawn != nullptr; });
  return names;
}

bool MoreIsBetter(std::string_view figure) {
  const FigureKind* const kind = FindFigureKind(figure);
  return kind != nullptr && kind->better == Better::kHigher;
}

bool NeedsBound(std::string_view figure) {
  const FigureKind* const kind = FindFigureKind(figure);
  return kind != nullptr && kind->needs_bound;
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
    case Objective::kSlowdown:
      return "slowdown";
    case Objective::kBalancedGain:
      return "balanced_gain";
  }
  return {};
}

RunFigures RunFiguresOf(const Report& report) {
  RunFigures figures;
  for (const FigureKind& kind : FigureKinds()) {
    const auto value = kind.of ? kind.of(report) : std::nullopt;
    if (value) figures.emplace(kind.name, *value);
  }
  return figures;
}

RunIntervals RunIntervalsOf(const Report& report) {
  RunIntervals intervals;
  for (const FigureKind& kind : FigureKinds()) {
    const auto drawn = kind.drawn ? kind.drawn(report) : std::nullopt;
    if (drawn) intervals.emplace(kind.name, std::vector{drawn->low, drawn->high});
  }
  return intervals;
}

RunFigures RunMediansOf(const Report& report) {
  RunFigures medians;
  for (const FigureKind& kind : FigureKinds()) {
    const auto drawn = kind.drawn ? kind.drawn(report) : std::nullopt;
    if (drawn) medians.emplace(kind.name, drawn->median);
  }
  return medians;
}

}  // namespace tandem
