#include "policies/rates.h"

#include <algorithm>

namespace tandem {

TaskRates::TaskRates(const Problem& problem) : problem_(&problem), estimated_(problem.units(), 1.0) {
  const Scenario& scenario = problem.scenario();
  std::vector<std::int64_t> load(problem.units());
  for (const UnitLoad& entry : scenario.loads) {
    load[entry.unit.index()] = entry.load_pct;
    estimated_[entry.unit.index()] = 100.0 / static_cast<double>(100 - entry.load_pct);
    on_ = on_ || entry.load_pct > 0;
  }
  const Platform& platform = problem.platform();
  for (const Profile& profile : scenario.profiles) {
    for (const BackgroundEntry& entry : profile.background) {
      const UnitId unit = platform.FindUnit(entry.unit);
      if (!unit.valid() || load[unit.index()] != entry.load_pct) continue;
      background_.push_back({unit, MatchOf(profile, entry.model, entry.layers), entry.slowdown});
    }
    for (const CoRunningEntry& entry : profile.co_running) {
      const UnitId unit = platform.FindUnit(entry.unit), beside = platform.FindUnit(entry.beside);
      if (!unit.valid() || !beside.valid() || entry.beside_traffic_bytes_per_s) continue;
      co_running_.push_back({unit, beside, MatchOf(profile, entry.model, entry.layers),
                             MatchOf(profile, entry.beside_model, entry.beside_layers), entry.slowdown});
      on_ = true;
    }
  }
}

// Layers match a segment where all of the segment's are among them; a whole model has no layers to match.
TaskRates::Match TaskRates::MatchOf(const Profile& profile, const std::string& model,
                                    const std::vector<std::string>& layers) const {
  Match match;
  if (model.empty()) return match;
  const Scenario& scenario = problem_->scenario();
  const std::string key = ModelKey(model, profile.file);
  const auto found = std::find_if(scenario.models.begin(), scenario.models.end(),
                                  [&](const ScenarioModel& m) { return m.key == key; });
  // A model that the scenario has not: an id that no task's model equals.
  match.model = ModelId(static_cast<std::size_t>(found - scenario.models.begin()));
  if (layers.empty()) return match;
  match.segments.resize(std::max<std::size_t>(problem_->segments().size(), 1));
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    const Segment& segment = problem_->segments()[s];
    if (problem_->model_of(SegmentId(s)) != match.model || segment.layers.empty()) continue;
    match.segments[s] = std::all_of(segment.layers.begin(), segment.layers.end(), [&](LayerId id) {
      const std::string& name = found->model->layer(id).name;
      return std::find(layers.begin(), layers.end(), name) != layers.end();
    });
  }
  return match;
}

bool TaskRates::Match::Covers(const Problem& problem, const Task& task) const {
  if (model.valid() && problem.model_of(task.segment) != model) return false;
  return segments.empty() || segments[task.segment.index()];
}

double TaskRates::BackgroundSlowdown(const Occupation& slot) const {
  double slowdown = estimated_[slot.unit.index()];
  int weight = -1;
  for (const Background& entry : background_) {
    if (entry.unit != slot.unit || entry.work.weight() <= weight) continue;
    if (!entry.work.Covers(*problem_, slot.task)) continue;
    weight = entry.work.weight();
    slowdown = entry.slowdown;
  }
  return slowdown;
}

double TaskRates::CoRunningSlowdown(const Occupation& slot, const Occupation& other) const {
  double slowdown = 1;
  int weight = -1;
  for (const CoRunning& entry : co_running_) {
    if (entry.unit != slot.unit || entry.beside != other.unit) continue;
    const int entry_weight = entry.work.weight() + entry.beside_work.weight();
    if (entry_weight <= weight) continue;
    if (!entry.work.Covers(*problem_, slot.task) || !entry.beside_work.Covers(*problem_, other.task))
      continue;
    weight = entry_weight;
    slowdown = entry.slowdown;
  }
  return slowdown;
}

Rate TaskRates::Of(const Occupation& slot, const std::vector<Occupation>& all) const {
  double slowdown = BackgroundSlowdown(slot);
  for (const Occupation& other : all) {
    if (other.working && other.unit != slot.unit && other.unit.index() < problem_->units()) {
      slowdown *= CoRunningSlowdown(slot, other);
    }
  }
  // A load of 40 % leaves 600 thousandths, whatever 100 / 60 rounds to.
  const double rate = static_cast<double>(kFullRate) / slowdown + 1e-9;
  return rate < 1 ? 1 : static_cast<Rate>(std::min(rate, static_cast<double>(kFullRate)));
}

}  // namespace tandem
