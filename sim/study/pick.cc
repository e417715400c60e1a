#include "sim/study/pick.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/recording_policy.h"
#include "policies/search/search.h"
#include "profiles/base/input_error.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

constexpr double kGood = 1.1;  // times the best prediction
constexpr std::size_t kMostFinalists = 8;
constexpr std::size_t kMostCompared = 200'000;

using RequestKey = std::pair<StreamId, std::int32_t>;

// What a plan does, as far as plans are compared.
struct PlanShape {
  std::map<RequestKey, std::vector<std::uint64_t>> layers;         // of each who makes which part of it
  std::map<RequestKey, RequestKey> after;                          // who came before it on its first unit
  std::map<ModelId, std::set<std::pair<LayerId, LayerId>>> tasks;  // first and last layers
};

class ShapeMaker {
 public:
  explicit ShapeMaker(const Problem& problem) : problem_(problem) {
    for (const Segment& segment : problem.segments()) {
      const ModelId id = problem.cut(segment.cut).model;
      layers_.push_back(segment.layers.empty() ? WorkingLayers(*problem.scenario().model(id).model)
                                               : segment.layers);
    }
  }

  PlanShape Of(const std::vector<Decision>& tasks) {
    for (const Decision& task : tasks) Add(task);
    for (std::size_t s = 0; s < layers_.size(); ++s) {
      shape_.tasks[problem_.model_of(SegmentId(s))].emplace(layers_[s].front(), layers_[s].back());
    }
    return std::move(shape_);
  }

 private:
  void Add(const Decision& task) {
    const RequestKey request{task.stream, task.index};
    const ModelId model = problem_.model_of(task.segment);
    auto& made_by = shape_.layers[request];
    const bool is_first = made_by.empty();
    made_by.resize(problem_.scenario().model(model).model->size());
    const auto& part = problem_.segment(task.segment).part;
    const std::uint64_t who =
        MixBits(task.unit.index() + 1) ^ (part ? MixBits(static_cast<std::uint64_t>(part->end)) : 0);
    for (const LayerId layer : layers_[task.segment.index()]) made_by[layer.index()] += who;
    if (is_first) {
      const auto before = last_.find(task.unit);
      if (before != last_.end()) shape_.after[request] = before->second;
    }
    last_[task.unit] = request;
  }

  const Problem& problem_;
  std::vector<std::vector<LayerId>> layers_;  // per segment
  std::map<UnitId, RequestKey> last_;
  PlanShape shape_;
};

PlanShape ShapeOf(const Prediction& prediction) {
  const JsonDocument document = JsonDocument::Parse(prediction.plan, prediction.report.label);
  const PlanFile file = ReadPlan(document.root());
  const PreparedRun run = Prepare(file.scenario, file.scenario.policies.front());
  RecordingPolicy recording(*run.policy, kMostCompared);
  RunVirtual(*run.problem, recording);
  return ShapeMaker(*run.problem).Of(recording.TakeAll());
}

double ShareOf(std::size_t count, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

double Distance(const PlanShape& a, const PlanShape& b) {
  std::size_t layers = 0, elsewhere = 0, after_others = 0;
  for (const auto& [request, made_by] : a.layers) {
    const auto other = b.layers.find(request);
    layers += made_by.size();
    for (std::size_t l = 0; l < made_by.size(); ++l) {
      elsewhere += other == b.layers.end() || other->second[l] != made_by[l] ? 1U : 0U;
    }
    const auto before = a.after.find(request), before_other = b.after.find(request);
    const bool is_first = before == a.after.end(), is_first_there = before_other == b.after.end();
    after_others += is_first != is_first_there || (!is_first && before->second != before_other->second);
  }
  std::size_t tasks = 0, cut_otherwise = 0;
  for (const auto& [model, of_model] : a.tasks) {
    const auto& other = b.tasks.at(model);
    tasks += of_model.size() + other.size();
    for (const auto& task : of_model) cut_otherwise += 1 - other.count(task);
    for (const auto& task : other) cut_otherwise += 1 - of_model.count(task);
  }
  return ShareOf(elsewhere, layers) + ShareOf(after_others, a.layers.size()) + ShareOf(cut_otherwise, tasks);
}

// Positions of those that may be run, the named winner first.
std::vector<std::size_t> GoodOnes(const std::vector<Prediction>& all, Objective objective) {
  std::vector<Report> reports;
  for (const Prediction& prediction : all) reports.push_back(prediction.report);
  const std::vector<std::size_t> winners = BestReports(reports, objective);
  const auto named =
      std::find_if(all.begin(), all.end(), [](const Prediction& prediction) { return prediction.named; });
  if (winners.empty() || named == all.end()) return {};
  std::vector<std::size_t> good = {static_cast<std::size_t>(named - all.begin())};
  const double best = *ObjectiveValue(reports[winners.front()], objective);
  for (std::size_t p = 0; p < all.size(); ++p) {
    const auto value = ObjectiveValue(reports[p], objective);
    if (p == good[0] || reports[p].beside || !reports[p].complete || !value) continue;
    if (HigherIsBetter(objective) ? *value * kGood >= best : *value <= best * kGood) good.push_back(p);
  }
  return good;
}

}  // namespace

std::vector<PolicySpec> WithFinalists(const Scenario& scenario, std::vector<PolicySpec> policies) {
  const auto& streams = scenario.streams;
  if (std::any_of(streams.begin(), streams.end(), ComesByTheClock)) return policies;
  const auto declared = [](const auto& that) -> const PolicyDeclaration& {
    return *std::find_if(Policies().begin(), Policies().end(), that);
  };
  const auto& search = declared([](const PolicyDeclaration& p) { return p.role == PolicyRole::kSearch; });
  const auto& as_planned = declared([](const PolicyDeclaration& p) { return p.takes_plan; });
  const std::vector<Decisions> found = FindBest(scenario, DefaultEvaluations(scenario));
  for (std::size_t i = 1; i < std::min(found.size(), kMostFinalists); ++i) {
    PolicySpec spec;
    spec.declaration = &as_planned;
    spec.label = std::string(search.name) + " " + std::to_string(i + 1);
    spec.granularity = found[i].granularity;
    spec.decided = std::make_shared<Decisions>(found[i]);
    policies.push_back(std::move(spec));
  }
  return policies;
}

std::vector<Prediction> MostDifferent(const std::vector<Prediction>& all, Objective objective,
                                      std::size_t most) {
  std::vector<std::size_t> left = GoodOnes(all, objective);
  std::map<std::size_t, PlanShape> shapes;
  for (const std::size_t p : left) shapes.emplace(p, ShapeOf(all[p]));
  std::vector<std::size_t> chosen;
  while (!left.empty() && chosen.size() < most) {
    std::size_t furthest = 0;
    double distance = -1;
    for (std::size_t i = 0; i < left.size(); ++i) {
      double nearest = chosen.empty() ? 1 : 3;
      for (const std::size_t c : chosen) nearest = std::min(nearest, Distance(shapes[left[i]], shapes[c]));
      if (nearest <= distance) continue;
      furthest = i;
      distance = nearest;
    }
    if (distance <= 0) break;
    chosen.push_back(left[furthest]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(furthest));
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<Prediction> plans;
  for (const std::size_t p : chosen) plans.push_back(all[p]);
  return plans;
}

std::optional<PickCalibration> PickMeasured(const CalibrationReport& report, const RunAnswer& run) {
  std::vector<PickedRun> runs;
  for (const DeviceRun& of : run.runs) {
    if (of.complete && of.objective && !of.disturbed) {
      runs.push_back({of.plan, of.repeat, *of.objective, of.excess.value_or(0)});
    }
  }
  std::vector<char> may;
  std::vector<std::string> labels;
  for (const PolicyCalibration& policy : report.policies) {
    may.push_back(!policy.beside && policy.correct != false && policy.cut_short == 0 ? 1 : 0);
    labels.push_back(policy.label);
  }
  return Pick(runs, may, report.winner.predicted, labels, report.objective, report.bars);
}

}  // namespace tandem
