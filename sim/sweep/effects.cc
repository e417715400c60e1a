#include "sim/sweep/effects.h"

#include <algorithm>
#include <optional>

#include "sim/sweep/collected.h"

namespace tandem {
namespace {

std::vector<std::size_t> RowsWith(const std::vector<SweepRow>& rows, std::string_view figure) {
  std::vector<std::size_t> positions;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (CostByFigure(rows[r], figure, ComparedBy::kRuns)) positions.push_back(r);
  }
  return positions;
}

// Of what the figure says, whichever way is better.
double MeanOf(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& positions,
              const std::string& figure) {
  double sum = 0;
  for (const std::size_t row : positions) sum += rows[row].figures.at(figure);
  return sum / static_cast<double>(positions.size());
}

double SquaresAround(double mean, const std::vector<SweepRow>& rows,
                     const std::vector<std::size_t>& positions, const std::string& figure) {
  double sum = 0;
  for (const std::size_t row : positions) {
    const double away = rows[row].figures.at(figure) - mean;
    sum += away * away;
  }
  return sum;
}

MainEffect EffectOf(const Factor& factor, const std::vector<SweepRow>& rows, const std::string& figure,
                    double mean, double squares) {
  const bool more = MoreIsBetter(figure);
  MainEffect effect;
  effect.factor = factor.name;
  double between = 0;
  for (const FactorLevel& level : factor.levels) {
    const double here = MeanOf(rows, level.rows, figure);
    between += static_cast<double>(level.rows.size()) * (here - mean) * (here - mean);
    if (effect.best.empty() || (more ? here > effect.best_mean : here < effect.best_mean)) {
      effect.best = level.label;
      effect.best_mean = here;
    }
    if (effect.worst.empty() || (more ? here < effect.worst_mean : here > effect.worst_mean)) {
      effect.worst = level.label;
      effect.worst_mean = here;
    }
  }
  effect.share = squares > 0 ? between / squares : 0;
  return effect;
}

}  // namespace

std::vector<MainEffect> MainEffects(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                    std::string_view of) {
  const std::string figure(of);
  const std::vector<std::size_t> positions = RowsWith(rows, figure);
  if (positions.empty()) return {};
  const double mean = MeanOf(rows, positions, figure);
  const double squares = SquaresAround(mean, rows, positions, figure);
  std::vector<MainEffect> effects;
  for (const Factor& factor : FactorsOf(sweep, rows, positions)) {
    effects.push_back(EffectOf(factor, rows, figure, mean, squares));
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const MainEffect& a, const MainEffect& b) { return a.share > b.share; });
  return effects;
}

}  // namespace tandem
