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

// What the figure says of each row, whichever way is better: the medians over the draws where all have one,
// as the best rows are told by.
std::vector<double> ValuesOf(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& positions,
                             const std::string& figure) {
  const bool drawn = std::all_of(positions.begin(), positions.end(),
                                 [&](std::size_t row) { return rows[row].medians.contains(figure); });
  std::vector<double> values(rows.size());
  for (const std::size_t row : positions)
    values[row] = (drawn ? rows[row].medians : rows[row].figures).at(figure);
  return values;
}

double MeanOf(const std::vector<double>& values, const std::vector<std::size_t>& positions) {
  double sum = 0;
  for (const std::size_t row : positions) sum += values[row];
  return sum / static_cast<double>(positions.size());
}

double SquaresAround(double mean, const std::vector<double>& values,
                     const std::vector<std::size_t>& positions) {
  double sum = 0;
  for (const std::size_t row : positions) sum += (values[row] - mean) * (values[row] - mean);
  return sum;
}

MainEffect EffectOf(const Factor& factor, const std::vector<double>& values, bool more, double mean,
                    double squares) {
  MainEffect effect;
  effect.factor = factor.name;
  double between = 0;
  for (const FactorLevel& level : factor.levels) {
    const double here = MeanOf(values, level.rows);
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
  const std::vector<double> values = ValuesOf(rows, positions, figure);
  const double mean = MeanOf(values, positions);
  const double squares = SquaresAround(mean, values, positions);
  std::vector<MainEffect> effects;
  for (const Factor& factor : FactorsOf(sweep, rows, positions)) {
    effects.push_back(EffectOf(factor, values, MoreIsBetter(figure), mean, squares));
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const MainEffect& a, const MainEffect& b) { return a.share > b.share; });
  return effects;
}

}  // namespace tandem
