// What a unit with a limit holds where neither the scenario nor the policy says it: the models for which the
// unit compares best with the fastest other unit, by the ratio of their times; ties go to the model that
// appears first. And what it holds where a policy binds models to units.
#include <algorithm>

#include "policies/problem/problem.h"

namespace tandem {
namespace {

// The model's least total time elsewhere over its time on the unit; models that run nowhere else come first.
struct Advantage {
  double ratio = 0;
  bool only_here = false;
  ModelId model;
};

Nanos TotalTime(const Problem& problem, ModelId model, UnitId unit) {
  Nanos total{0};
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (problem.model_of(SegmentId(s)) != model) continue;
    const Nanos time = problem.Time(SegmentId(s), unit);
    if (time == Problem::kCannot) return Problem::kCannot;
    total += time;
  }
  return total;
}

Advantage AdvantageOf(const Problem& problem, ModelId model, UnitId unit) {
  Advantage advantage{0, true, model};
  const Nanos here = TotalTime(problem, model, unit);
  if (here == Problem::kCannot) return {0, false, model};
  Nanos least{INT64_MAX};
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (UnitId(u) == unit) continue;
    const Nanos there = TotalTime(problem, model, UnitId(u));
    if (there == Problem::kCannot) continue;
    least = std::min(least, there);
    advantage.only_here = false;
  }
  if (!advantage.only_here) {
    advantage.ratio =
        static_cast<double>(least.count()) / static_cast<double>(std::max<std::int64_t>(here.count(), 1));
  }
  return advantage;
}

}  // namespace

std::vector<ModelId> DefaultResidents(const Problem& problem, UnitId unit,
                                      const std::vector<ModelId>& candidates) {
  std::vector<Advantage> order;
  for (const ModelId model : candidates) order.push_back(AdvantageOf(problem, model, unit));
  std::stable_sort(order.begin(), order.end(), [](const Advantage& a, const Advantage& b) {
    return a.only_here != b.only_here ? a.only_here : a.ratio > b.ratio;
  });
  std::vector<ModelId> chosen;
  for (const Advantage& advantage : order) {
    chosen.push_back(advantage.model);
    if (!problem.MayHoldTogether(unit, chosen)) chosen.pop_back();
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void HoldBoundModels(Problem& problem, const std::vector<std::vector<ModelId>>& models_of_unit) {
  for (std::size_t u = 0; u < problem.units(); ++u) {  // what they hold now must not stand in the way
    if (problem.MayChooseResidents(UnitId(u))) problem.ChooseResidents(UnitId(u), {});
  }
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const UnitId unit(u);
    if (!problem.MayChooseResidents(unit)) continue;
    std::vector<ModelId> models = models_of_unit[u], held;
    std::stable_partition(models.begin(), models.end(),
                          [&](ModelId model) { return !problem.LoadTime(model, unit); });
    for (const ModelId model : models) {
      held.push_back(model);
      if (!problem.MayHoldTogether(unit, held)) held.pop_back();
    }
    problem.ChooseResidents(unit, held);
  }
}

}  // namespace tandem
