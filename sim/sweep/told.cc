#include "sim/sweep/told.h"

#include <algorithm>
#include <cmath>

#include "sim/sweep/collected.h"

namespace tandem {
namespace {

// Adds the values of one run; of lists of two lengths nothing is left.
void Add(const std::vector<double>& values, double weight, std::vector<double>& sum) {
  if (values.size() != sum.size()) return sum.clear();
  for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += weight * values[d];
}

}  // namespace

SweepRival RivalOf(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& positions,
                   std::string_view figure) {
  const double weight = 1 / static_cast<double>(positions.size());
  const SweepRow& first = rows[positions.front()];
  SweepRival rival;
  rival.draws.objectives.resize(first.drawn.size());
  rival.draws.excesses.resize(first.excesses.size());
  rival.unknown = 0;
  for (const std::size_t position : positions) {
    const SweepRow& row = rows[position];
    rival.run_cost += weight * CostByFigure(row, figure, ComparedBy::kRuns).value_or(0);
    Add(row.drawn, weight, rival.draws.objectives);
    Add(row.excesses, weight, rival.draws.excesses);
    rival.has_probability = rival.has_probability && row.probability_why.empty();
    rival.unknown =
        rival.unknown && row.unknown ? std::optional(std::max(*rival.unknown, *row.unknown)) : std::nullopt;
  }
  if (rival.drawn()) rival.draws.objective = FigureOver(rival.draws.objectives, kUsualInterval);
  return rival;
}

bool AreComparedByDraws(const std::vector<const SweepRival*>& rivals) {
  return !rivals.empty() && std::all_of(rivals.begin(), rivals.end(), [&](const SweepRival* rival) {
    return rival->drawn() && rival->draws.objectives.size() == rivals[0]->draws.objectives.size();
  });
}

double CostOf(const SweepRival& rival, std::string_view figure, bool by_draws) {
  if (!by_draws) return rival.run_cost;
  return MoreIsBetter(figure) ? -rival.draws.objective->median : rival.draws.objective->median;
}

bool CannotBeTold(const SweepRival& other, const SweepRival& best, std::string_view figure) {
  if (AreComparedByDraws({&other, &best})) return CannotBeTold(other.draws, best.draws, MoreIsBetter(figure));
  if (!other.unknown || !best.unknown) return true;
  const double margin = std::max(*other.unknown, *best.unknown) * std::abs(best.run_cost);
  return other.run_cost - best.run_cost <= margin;
}

std::int64_t CountClose(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& best,
                        std::string_view figure) {
  if (best.empty()) return 0;
  const SweepRival first = RivalOf(rows, {best[0]}, figure);
  return std::count_if(best.begin() + 1, best.end(), [&](const std::size_t row) {
    return CannotBeTold(RivalOf(rows, {row}, figure), first, figure);
  });
}

}  // namespace tandem
