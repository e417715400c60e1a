#include "policies/problem/resident_options.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::size_t kMostOptions = 32;
constexpr int kMostTries = 10'000;

// The models of which the unit can run something.
std::vector<ModelId> Wanted(const Problem& problem, UnitId unit) {
  std::vector<ModelId> wanted;
  for (std::size_t m = 0; m < problem.scenario().models.size(); ++m) {
    for (std::size_t s = 0; s < problem.segments().size(); ++s) {
      if (problem.model_of(SegmentId(s)) != ModelId(m)) continue;
      if (problem.Profiled(SegmentId(s), unit) == Problem::kCannot) continue;
      wanted.emplace_back(m);
      break;
    }
  }
  return wanted;
}

// Sets of them that the unit may hold, the large ones first, then lexicographically.
std::vector<std::vector<ModelId>> Fillings(const Problem& problem, UnitId unit) {
  const std::vector<ModelId> wanted = Wanted(problem, unit);
  const std::size_t limit = static_cast<std::size_t>(
      problem.ResidentLimit(unit).value_or(static_cast<std::int64_t>(wanted.size())));
  std::vector<std::vector<ModelId>> fillings;
  int tries = kMostTries;
  for (std::size_t held = std::min(limit, wanted.size()); held > 0 && fillings.empty(); --held) {
    std::vector<char> in(wanted.size(), 0);
    std::fill(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(held), 1);
    do {
      std::vector<ModelId> filling;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (in[i]) filling.push_back(wanted[i]);
      }
      if (problem.MayHoldTogether(unit, filling)) fillings.push_back(std::move(filling));
    } while (--tries > 0 && fillings.size() < kMostOptions && std::prev_permutation(in.begin(), in.end()));
  }
  if (fillings.empty()) fillings.emplace_back();
  return fillings;
}

}  // namespace

ResidentOption ChosenResidents(const Problem& problem) {
  ResidentOption chosen(problem.units());
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (problem.MayChooseResidents(UnitId(u))) chosen[u] = problem.HeldBy(UnitId(u));
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

}  // namespace tandem
