#include "device/service/counts.h"

#include <algorithm>

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

constexpr std::size_t kLatencies = 1024;  // of which percentiles are

}  // namespace

ServiceCounts::ServiceCounts(const Problem& problem, double drift)
    : problem_(&problem), medians_(problem, drift) {
  for (const Stream& stream : problem.scenario().streams) {
    streams_.emplace_back();
    streams_.back().counts.name = stream.name;
  }
  for (const Unit& unit : problem.platform().units) units_.push_back({unit.name, 0, {}});
}

void ServiceCounts::Submitted(StreamId stream) {
  const std::lock_guard lock(mutex_);
  ++streams_[stream.index()].counts.submitted;
}

void ServiceCounts::Answered(StreamId stream, const device::RequestResult& result) {
  const std::lock_guard lock(mutex_);
  OfStream& of = streams_[stream.index()];
  if (result.status == device::RequestStatus::kDropped) ++of.counts.dropped;
  if (result.status == device::RequestStatus::kStopped) ++of.counts.stopped;
  if (result.status == device::RequestStatus::kFailed) ++of.counts.failed;
  if (result.status == device::RequestStatus::kCancelled) ++of.counts.cancelled;
  if (result.status != device::RequestStatus::kDone) return;
  ++of.counts.completed;
  of.counts.max = std::max(of.counts.max, result.latency);
  of.total += result.latency;
  if (of.last.size() < kLatencies) {
    of.last.push_back(result.latency);
  } else {
    of.last[of.next] = result.latency;
  }
  of.next = (of.next + 1) % kLatencies;
}

void ServiceCounts::CallbackFailed() {
  const std::lock_guard lock(mutex_);
  ++callback_failures_;
}

std::optional<device::DriftInfo> ServiceCounts::Ended(const Span& span) {
  if (span.unit.index() >= units_.size()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  device::UnitStatistics& unit = units_[span.unit.index()];
  unit.busy += span.end - span.start;
  if (span.kind != SpanKind::kCompute) return std::nullopt;
  ++unit.tasks;
  if (problem_->scenario().streams[span.stream.index()].batching)
    return std::nullopt;  // of how many, none tells
  const auto away =
      medians_.Add(SegmentId(static_cast<std::size_t>(span.segment)), span.unit, span.end - span.start);
  return away ? std::optional(InfoOf(*away)) : std::nullopt;
}

device::DriftInfo ServiceCounts::InfoOf(const RunningMedians::Place& place) const {
  const Segment& segment = problem_->segment(place.segment);
  const ScenarioModel& model = problem_->scenario().model(problem_->model_of(place.segment));
  device::DriftInfo info{
      model.name, {}, problem_->platform().unit(place.unit).name, place.profiled, place.measured};
  if (segment.layers.empty()) return info;
  info.layers = model.model->layer(segment.layers.front()).name;
  const std::size_t more = segment.layers.size() - 1;
  if (more > 0) info.layers += " and " + std::to_string(more) + " more";
  if (segment.part) info.layers += ", " + segment.part->Text();
  return info;
}

device::ServiceStatistics ServiceCounts::All() const {
  device::ServiceStatistics all;
  all.uptime = std::chrono::steady_clock::now() - since_;
  const std::lock_guard lock(mutex_);
  for (const OfStream& of : streams_) {
    all.streams.push_back(of.counts);
    device::StreamStatistics& counts = all.streams.back();
    if (of.counts.completed == 0) continue;
    counts.mean = of.total / static_cast<std::int64_t>(of.counts.completed);
    counts.p50 = LowerMedian(of.last);
    counts.p99 = Percentile(of.last, 9900);
  }
  all.units = units_;
  for (const RunningMedians::Place& place : medians_.All()) all.segments.push_back(InfoOf(place));
  all.callback_failures = callback_failures_;
  return all;
}

std::vector<RunningMedians::Place> ServiceCounts::Medians() const {
  const std::lock_guard lock(mutex_);
  return medians_.All();
}

}  // namespace tandem
