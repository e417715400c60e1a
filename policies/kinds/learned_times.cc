#include "policies/kinds/learned_times.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr double kMostFactor = 8;
constexpr double kForgottenAfter =
    50;  // as many of its tasks would have taken: half of what is known is gone

Nanos Scaled(Nanos profiled, double factor) {
  return Nanos{static_cast<std::int64_t>(static_cast<double>(profiled.count()) * factor)};
}

}  // namespace

// Without powers, whose last digit differs from processor to processor.
double LearnedTimes::Average::At(Nanos now) const {
  if (factor == 1) return 1;
  const double since = static_cast<double>((now - seen).count()) /
                       (kForgottenAfter * static_cast<double>(std::max(usual, Nanos{1}).count()));
  return 1 + (factor - 1) / (1 + since);
}

LearnedTimes::LearnedTimes(const Problem& problem, double weight)
    : problem_(&problem),
      weight_(weight),
      of_models_(problem.scenario().models.size() * problem.units()),
      of_units_(problem.units()) {}

std::size_t LearnedTimes::PlaceOf(const Task& task, UnitId unit) const {
  return problem_->model_of(task.segment).index() * problem_->units() + unit.index();
}

// One task that was held up by chance says nothing of the next: two have to say the same. So what is learned
// stays near the median, which is what profiles say, where some tasks take much longer than most.
void LearnedTimes::Learn(Average& average, double times, Nanos usual, Nanos now) const {
  const double before = average.At(now);
  const double middle =
      std::max(std::min(times, average.last), std::min(std::max(times, average.last), before));
  average = {before + weight_ * (middle - before), times, now, usual};
}

void LearnedTimes::Ended(const Task& task, UnitId unit, double times, Nanos now) {
  const Nanos profiled = problem_->Work(task.segment, unit);
  const double factor = std::clamp(times, 1 / kMostFactor, kMostFactor);
  Learn(of_models_[PlaceOf(task, unit)], factor, profiled, now);
  Learn(of_units_[unit.index()], factor, profiled, now);
}

Nanos LearnedTimes::Corrected(Nanos profiled, const Task& task, UnitId unit, Nanos now) const {
  return Scaled(profiled, of_models_[PlaceOf(task, unit)].At(now));
}
Nanos LearnedTimes::Corrected(Nanos profiled, UnitId unit, Nanos now) const {
  return Scaled(profiled, of_units_[unit.index()].At(now));
}

}  // namespace tandem
