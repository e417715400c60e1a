#include "sim/sweep/judge.h"

#include <algorithm>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "sim/study/one_run.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_scenario.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostJudged = 200;  // points; and of each axis of a grid, values

class SweepJudge {
 public:
  explicit SweepJudge(const Sweep& sweep) : sweep_(sweep), scenarios_(sweep), points_(sweep) {}

  // How many policies run at the first point.
  std::int64_t All() {
    const auto first = points_.At(0);
    const std::int64_t policies = Point(first, sweep_.file);
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

  std::int64_t Point(const std::vector<std::string>& values, const std::string& place) {
    const PointScenario point = scenarios_.Of(values);
    try {
      const Scenario scenario = ScenarioToSimulate(point.text, point.file, options_);
      ChoosePolicies(scenario, sweep_.policies);
    } catch (const InputError& error) {
      throw InputError(place + ": " + Named(values) + error.what());
    }
    return static_cast<std::int64_t>(point.policies.size());
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

}  // namespace

std::string JudgeSweep(const JsonReader& root) {
  const Sweep sweep = ReadSweep(root);
  SweepJudge judge(sweep);
  const std::int64_t policies = judge.All(), points = judge.points();
  return Counted(static_cast<std::int64_t>(sweep.axes.size()), "axis", "axes") + ", " +
         Counted(points, "point") + ", " + Counted(policies, "policy", "policies") + ", " +
         (PoliciesVary(sweep) ? "about " : "") + Counted(points * policies, "run");
}

}  // namespace tandem
