#include "sim/sweep/judge.h"

#include <algorithm>
#include <set>
#include <vector>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "sim/study/one_run.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_scenario.h"
#include "sim/sweep/runs.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostCounted = 2'000;  // points, one by one
constexpr std::int64_t kMostJudged = 200;     // points; and of each axis of a grid, values

class SweepJudge {
 public:
  explicit SweepJudge(const Sweep& sweep) : sweep_(sweep), scenarios_(sweep), points_(sweep) {}

  // How many policies run at the first point.
  std::int64_t All() {
    const auto first = points_.At(0);
    const auto policies = static_cast<std::int64_t>(scenarios_.InputsOf(first).policies.size());
    Point(first, sweep_.file);
    if (sweep_.design.type == SweepDesignType::kGrid) {
      for (std::size_t axis = 0; axis < sweep_.axes.size(); ++axis) Axis(axis, first);
    } else {
      const std::int64_t judged = std::min(points_.size(), kMostJudged);
      for (std::int64_t p = 1; p < judged; ++p) Point(points_.At(p), sweep_.file + ":/design");
    }
    return policies;
  }
  std::int64_t points() const { return points_.size(); }

 private:
  // Each value of it, at the first of all other axes.
  void Axis(std::size_t axis, std::vector<std::string> values) {
    const SweepAxis& of = sweep_.axes[axis];
    const std::vector<std::string> levels = of.range ? RangeLevels(of) : of.values;
    const auto count = std::min(static_cast<std::int64_t>(levels.size()), kMostJudged);
    for (std::int64_t level = 1; level < count; ++level) {
      values[axis] = level == count - 1 ? levels.back() : levels[static_cast<std::size_t>(level)];
      Point(values, sweep_.file + ":/axes/" + std::to_string(axis));
    }
  }

  void Point(const std::vector<std::string>& values, const std::string& place) {
    const PointScenario point = scenarios_.Of(values);
    try {
      const Scenario scenario = ScenarioToSimulate(point.text, point.file, options_);
      ChoosePolicies(scenario, sweep_.policies);
    } catch (const InputError& error) {
      throw InputError(place + ": " + Named(values) + error.what());
    }
  }

  std::string Named(const std::vector<std::string>& values) const {
    std::string text;
    for (std::size_t axis = 0; axis < values.size(); ++axis) {
      text += (axis == 0 ? "with " : ", ") + sweep_.axes[axis].name + " = " + values[axis];
    }
    return text.empty() ? "" : text + ": ";
  }

  const Sweep& sweep_;
  PointScenarios scenarios_;
  SweepPoints points_;
  KnownModels models_;
  ScenarioOptions options_{.device = {}, .models = &models_};
};

// May the number of policies differ from point to point?
bool PoliciesVary(const Sweep& sweep) {
  const auto varies = [](const std::string& pointer) {
    return pointer.empty() || pointer.starts_with("/policies");
  };
  return std::any_of(sweep.axes.begin(), sweep.axes.end(), [&](const SweepAxis& axis) {
    return std::any_of(axis.pointers.begin(), axis.pointers.end(), varies);
  });
}

struct SweepSize {
  std::int64_t policies = 0, runs = 0;
  bool exact = false;
};

// Runs that are the same in all that counts are one; who has very many points is told how many there are at
// most.
SweepSize SizeOf(const Sweep& sweep, std::int64_t points, std::int64_t policies) {
  if (points > kMostCounted) return {policies, points * policies, !PoliciesVary(sweep)};
  const std::vector<SweepRun> runs = RunsOf(sweep, Engine::kVirtual);
  std::set<std::string> labels;
  for (const SweepRun& run : runs) labels.insert(run.policy);
  return {static_cast<std::int64_t>(labels.size()), static_cast<std::int64_t>(runs.size()), true};
}

}  // namespace

std::string JudgeSweep(const JsonReader& root) {
  const Sweep sweep = ReadSweep(root);
  SweepJudge judge(sweep);
  const std::int64_t policies = judge.All(), points = judge.points();
  const SweepSize size = SizeOf(sweep, points, policies);
  return Counted(static_cast<std::int64_t>(sweep.axes.size()), "axis", "axes") + ", " +
         Counted(points, "point") + ", " + Counted(size.policies, "policy", "policies") + ", " +
         (size.exact ? "" : "about ") + Counted(size.runs, "run");
}

}  // namespace tandem
