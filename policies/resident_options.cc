#include "policies/resident_options.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::size_t kMostOptions = 32;

// Subsets of the models with as many as the unit holds, lexicographically.
std::vector<std::vector<ModelId>> Fillings(const Problem& problem, UnitId unit) {
  const std::size_t models = problem.scenario().models.size();
  const auto held = static_cast<std::size_t>(
      std::min<std::int64_t>(*problem.ResidentLimit(unit), static_cast<std::int64_t>(models)));
  std::vector<std::vector<ModelId>> fillings;
  std::vector<char> in(models, 0);
  std::fill(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(held), 1);
  do {
    fillings.emplace_back();
    for (std::size_t m = 0; m < models; ++m) {
      if (in[m]) fillings.back().emplace_back(m);
    }
  } while (fillings.size() < kMostOptions && std::prev_permutation(in.begin(), in.end()));
  return fillings;
}

}  // namespace

ResidentOption ChosenResidents(const Problem& problem) {
  ResidentOption chosen(problem.units());
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.MayChooseResidents(UnitId(u))) continue;
    chosen[u].emplace();
    for (std::size_t m = 0; m < problem.scenario().models.size(); ++m) {
      if (problem.Resident(ModelId(m), UnitId(u))) chosen[u]->emplace_back(m);
    }
  }
  return chosen;
}

std::vector<ResidentOption> ResidentOptions(const Problem& problem) {
  std::vector<ResidentOption> options = {ResidentOption(problem.units())};
  bool any = false;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.MayChooseResidents(UnitId(u))) continue;
    any = true;
    std::vector<ResidentOption> longer;
    for (const ResidentOption& option : options) {
      for (const std::vector<ModelId>& filling : Fillings(problem, UnitId(u))) {
        if (longer.size() == kMostOptions) break;
        longer.push_back(option);
        longer.back()[u] = filling;
      }
    }
    options = std::move(longer);
  }
  return any ? options : std::vector<ResidentOption>();
}

bool Choose(const ResidentOption& option, Problem& problem) {
  for (std::size_t u = 0; u < option.size(); ++u) {
    if (option[u]) problem.ChooseResidents(UnitId(u), *option[u]);
  }
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    bool runs = false;
    for (std::size_t u = 0; u < problem.units(); ++u) runs = runs || problem.Runs(SegmentId(s), UnitId(u));
    if (!runs) return false;
  }
  return true;
}

}  // namespace tandem
