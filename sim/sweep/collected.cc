#include "sim/sweep/collected.h"

#include <algorithm>
#include <utility>

#include "sim/sweep/design.h"

namespace tandem {
namespace {

// By its draws where there are some, as limits are.
bool Keeps(const SweepRow& row, const SweepRequirement& requirement) {
  const auto median = row.medians.find(requirement.figure);
  const auto figure = row.figures.find(requirement.figure);
  if (figure == row.figures.end()) return false;
  const double value = median == row.medians.end() ? figure->second : median->second;
  return (!requirement.at_most || value <= *requirement.at_most) &&
         (!requirement.at_least || value >= *requirement.at_least);
}

using Costs = std::vector<double>;

// As good in all, and better in one?
bool IsBeaten(const Costs& costs, const Costs& by) {
  bool better = false;
  for (std::size_t f = 0; f < costs.size(); ++f) {
    if (by[f] > costs[f]) return false;
    better = better || by[f] < costs[f];
  }
  return better;
}

std::optional<Costs> CostsOf(const SweepRow& row, const std::vector<std::string>& figures,
                             const std::vector<ComparedBy>& by) {
  Costs costs;
  for (std::size_t f = 0; f < figures.size(); ++f) {
    const auto cost = CostByFigure(row, figures[f], by[f]);
    if (!cost) return std::nullopt;
    costs.push_back(*cost);
  }
  return costs;
}

}  // namespace

CollectedRows CollectRows(const Sweep& sweep, const std::vector<SweepRun>& runs,
                          const std::filesystem::path& folder) {
  const SweepPoints points(sweep);
  std::map<std::string, SweepRow> found = ReadRows(folder);
  CollectedRows collected;
  for (const SweepRun& run : runs) {
    const auto row = found.find(run.key);
    if (row == found.end()) {
      collected.missing.push_back(run.key);
      continue;
    }
    collected.failed += row->second.status == RowStatus::kOk ? 0 : 1;
    row->second.point = NamedValues(sweep, points.At(run.point));
    collected.rows.push_back(std::move(row->second));
    found.erase(row);
  }
  collected.of_others = static_cast<std::int64_t>(found.size());
  for (const auto& [key, row] : found) collected.engines_of_others.insert(row.engine);
  std::sort(collected.missing.begin(), collected.missing.end());
  std::sort(collected.rows.begin(), collected.rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.key < b.key; });
  return collected;
}

bool MayBeBest(const Sweep& sweep, const SweepRow& row) {
  return row.status == RowStatus::kOk && !row.beside && !row.breaks_limits &&
         std::all_of(sweep.require.begin(), sweep.require.end(),
                     [&](const SweepRequirement& requirement) { return Keeps(row, requirement); });
}

ComparedBy HowCompared(const Sweep& sweep, const std::vector<SweepRow>& rows, std::string_view figure) {
  const std::string name(figure);
  const bool all = std::all_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return !MayBeBest(sweep, row) || !row.figures.contains(name) || row.medians.contains(name);
  });
  return sweep.interval && all ? ComparedBy::kDraws : ComparedBy::kRuns;
}

std::optional<double> CostByFigure(const SweepRow& row, std::string_view figure, ComparedBy by) {
  const RunFigures& figures = by == ComparedBy::kDraws ? row.medians : row.figures;
  const auto value = figures.find(std::string(figure));
  if (row.status != RowStatus::kOk || value == figures.end()) return std::nullopt;
  return MoreIsBetter(figure) ? -value->second : value->second;
}

std::vector<std::size_t> BestRows(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                  std::string_view figure) {
  const ComparedBy by = HowCompared(sweep, rows, figure);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto cost = CostByFigure(rows[r], figure, by);
    if (cost && MayBeBest(sweep, rows[r])) order.emplace_back(*cost, r);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> best;
  for (const auto& [cost, row] : order) best.push_back(row);
  return best;
}

std::vector<std::size_t> ParetoFront(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                     const std::vector<std::string>& figures) {
  std::vector<ComparedBy> by;
  for (const std::string& figure : figures) by.push_back(HowCompared(sweep, rows, figure));
  std::vector<std::pair<Costs, std::size_t>> all, front;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!MayBeBest(sweep, rows[r])) continue;
    if (auto costs = CostsOf(rows[r], figures, by)) all.emplace_back(std::move(*costs), r);
  }
  std::sort(all.begin(), all.end());  // whoever beats a row stands before it
  for (auto& row : all) {
    const bool beaten = std::any_of(front.begin(), front.end(),
                                    [&](const auto& other) { return IsBeaten(row.first, other.first); });
    if (!beaten) front.push_back(std::move(row));
  }
  std::vector<std::size_t> positions;
  for (const auto& [costs, row] : front) positions.push_back(row);
  return positions;
}

}  // namespace tandem
