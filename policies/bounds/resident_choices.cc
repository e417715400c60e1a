#include "policies/bounds/resident_choices.h"

#include <algorithm>
#include <set>

namespace tandem {
namespace {

// Models that a unit runs only if it holds them from the start, and how many of them it can hold.
struct Contest {
  UnitId unit;
  std::vector<ModelId> models;
  std::size_t places = 0;
};

std::vector<Contest> Contests(const Problem& problem, const LeastTimes& least) {
  std::vector<Contest> contests;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const UnitId unit(u);
    if (!problem.MayChooseResidents(unit)) continue;
    std::set<ModelId> models;
    for (std::size_t s = 0; s < problem.segments().size(); ++s) {
      const ModelId model = problem.model_of(SegmentId(s));
      if (least.Occupation(SegmentId(s), unit) < Nanos{0} || problem.LoadTime(model, unit)) continue;
      models.insert(model);
    }
    const auto limit = static_cast<std::uint64_t>(problem.ResidentLimit(unit).value_or(INT64_MAX));
    if (models.size() <= limit) continue;
    contests.push_back({unit, {models.begin(), models.end()}, static_cast<std::size_t>(limit)});
  }
  return contests;
}

// C(n, k), or more than the most.
std::size_t Combinations(std::size_t n, std::size_t k) {
  std::size_t count = 1;
  for (std::size_t i = 1; i <= k && count <= kMostResidentChoices; ++i) count = count * (n - k + i) / i;
  return count;
}

}  // namespace

std::vector<ResidentChoice> ResidentChoices(const Problem& problem, const LeastTimes& least) {
  const std::vector<Contest> contests = Contests(problem, least);
  std::size_t count = 1;
  for (const Contest& contest : contests) {
    count *= Combinations(contest.models.size(), contest.places);
    if (count > kMostResidentChoices) return {ResidentChoice()};
  }
  const std::size_t units = problem.units();
  std::vector<std::vector<char>> tables{std::vector<char>(problem.scenario().models.size() * units)};
  for (const Contest& contest : contests) {
    std::vector<std::vector<char>> with;
    std::vector<char> kept_away(contest.models.size());
    std::fill(kept_away.begin() + static_cast<std::ptrdiff_t>(contest.places), kept_away.end(), 1);
    do {
      for (std::vector<char> table : tables) {
        for (std::size_t i = 0; i < kept_away.size(); ++i) {
          if (kept_away[i]) table[contest.models[i].index() * units + contest.unit.index()] = 1;
        }
        with.push_back(std::move(table));
      }
    } while (std::next_permutation(kept_away.begin(), kept_away.end()));
    tables = std::move(with);
  }
  std::vector<ResidentChoice> choices;
  for (std::vector<char>& table : tables) choices.emplace_back(units, std::move(table));
  return choices;
}

}  // namespace tandem
