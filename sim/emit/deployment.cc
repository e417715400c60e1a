#include "sim/emit/deployment.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profiles/program/command_line.h"

namespace tandem {
namespace {

class TaskList final : public SpanSink {
 public:
  explicit TaskList(std::size_t streams) : along_(streams) {}
  void Add(const Span& span) override {
    if (span.kind != SpanKind::kCompute) return;
    const SegmentId segment(static_cast<std::size_t>(span.segment));
    DeployedShare& share = shares_[{span.stream, segment, span.unit}];
    ++share.tasks;
    share.busy += span.end - span.start;
    ++all_;
    tasks_.push_back(
        {span.stream, span.index, segment, span.unit, span.slot, span.release, span.start, span.end});
    if (tasks_.size() >= 2 * kMostDeployedTasks) Keep();
  }
  void Ended(const RequestEnd& end) override {
    if (end.with >= 0) ++along_[end.stream.index()];
  }

  std::vector<DeployedTask> TakeTasks() {
    Keep();
    return std::move(tasks_);
  }
  std::vector<DeployedShare> Shares() const {
    std::vector<DeployedShare> list;
    for (const auto& [of, share] : shares_) {
      list.push_back({std::get<0>(of), std::get<1>(of), std::get<2>(of), share.tasks, share.busy});
    }
    return list;
  }
  std::size_t all() const { return all_; }
  const std::vector<std::int64_t>& along() const { return along_; }

 private:
  // Spans come in order of end.
  void Keep() {
    std::sort(tasks_.begin(), tasks_.end(), [](const DeployedTask& a, const DeployedTask& b) {
      return std::tie(a.start, a.unit, a.slot, a.stream, a.index, a.segment) <
             std::tie(b.start, b.unit, b.slot, b.stream, b.index, b.segment);
    });
    if (tasks_.size() > kMostDeployedTasks) tasks_.resize(kMostDeployedTasks);
  }

  std::vector<DeployedTask> tasks_;
  std::map<std::tuple<StreamId, SegmentId, UnitId>, DeployedShare> shares_;
  std::size_t all_ = 0;
  std::vector<std::int64_t> along_;
};

}  // namespace

Deployment::Deployment(const Scenario& scenario, Plan plan, Report predicted, Engine engine)
    : scenario_(scenario),
      plan_(std::move(plan)),
      predicted_(std::move(predicted)),
      run_(Prepare(scenario_, plan_.policy)) {
  TaskList list(scenario_.streams.size());
  RunOptions options;
  options.spans = &list;
  RunOn(engine, run_, options);
  tasks_ = list.TakeTasks();
  shares_ = list.Shares();
  tasks_in_all_ = list.all();
  along_ = list.along();
}

UnitId Deployment::MainUnit(StreamId stream, SegmentId segment) const {
  UnitId unit;
  std::int64_t most = 0;
  for (const DeployedShare& share : shares_) {
    if (share.stream != stream || share.segment != segment || share.tasks <= most) continue;
    most = share.tasks;
    unit = share.unit;
  }
  return unit;
}

std::vector<LayerId> Deployment::LayersOf(SegmentId segment) const {
  const Segment& of = problem().segment(segment);
  return of.layers.empty() ? WorkingLayers(*scenario_.model(problem().model_of(segment)).model) : of.layers;
}

std::string Deployment::command() const { return CommandAsGiven(); }

}  // namespace tandem
