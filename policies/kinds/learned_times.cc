#include "policies/kinds/learned_times.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr double kMostFactor = 8;
constexpr double kForgottenAfter =
    50;  // as many of its tasks would have taken: half of what is known is gone

bool IsSame(const Task& a, const Task& b) {
  return a.stream == b.stream && a.index == b.index && a.segment == b.segment;
}

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
      of_units_(problem.units()),
      running_(problem.units()) {}

std::size_t LearnedTimes::PlaceOf(const Task& task, UnitId unit) const {
  return problem_->model_of(task.segment).index() * problem_->units() + unit.index();
}

void LearnedTimes::Began(const Task& task, UnitId unit, Nanos now) {
  if (!problem_->platform().unit(unit).time_shared) running_[unit.index()].push_back({task, now});
}

std::optional<Nanos> LearnedTimes::Remove(const Task& task, UnitId unit) {
  std::vector<Running>& running = running_[unit.index()];
  const auto found = std::find_if(running.begin(), running.end(),
                                  [&](const Running& one) { return IsSame(one.task, task); });
  if (found == running.end()) return std::nullopt;
  const Nanos began = found->began;
  running.erase(found);
  return began;
}

void LearnedTimes::Returned(const Task& task, UnitId unit) { Remove(task, unit); }

void LearnedTimes::Learn(Average& average, double factor, Nanos usual, Nanos now) const {
  const double before = average.At(now);
  average = {before + weight_ * (factor - before), now, usual};
}

void LearnedTimes::Ended(const Task& task, UnitId unit, Nanos now) {
  const std::optional<Nanos> began = Remove(task, unit);
  const Nanos profiled = problem_->Work(task.segment, unit);
  if (!began || profiled <= Nanos{0}) return;
  const double ratio = static_cast<double>((now - *began).count()) / static_cast<double>(profiled.count());
  const double factor = std::clamp(ratio, 1 / kMostFactor, kMostFactor);
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
