#include "tests/support/trace_maker.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/decimal.h"

namespace tandem {
namespace {

Nanos Micros(double value) { return Nanos{std::llround(value * 1000)}; }

template <class List, class Item>
std::int32_t Position(List& list, const Item& item) {
  const auto found = std::find(list.begin(), list.end(), item);
  if (found != list.end()) return static_cast<std::int32_t>(found - list.begin());
  list.push_back(item);
  return static_cast<std::int32_t>(list.size()) - 1;
}

}  // namespace

TraceMaker::TraceMaker(const Scenario& scenario, const std::string& policy) : scenario_(&scenario) {
  run.name = "predicted: " + policy;
  run.policy = policy;
  run.engine = "virtual";
  for (const Unit& unit : scenario.platform->units) {
    for (std::int32_t slot = 0; slot < unit.slots; ++slot)
      run.tracks.push_back({unit.name, unit.name, slot, "", ""});
    if (!unit.resident_models) {
      for (const ScenarioModel& model : scenario.models) run.residents[unit.name].push_back(model.name);
    }
  }
}

std::int32_t TraceMaker::Track(const std::string& unit, std::int32_t slot) {
  for (std::size_t t = 0; t < run.tracks.size(); ++t) {
    if (run.tracks[t].unit == unit && run.tracks[t].slot == slot) return static_cast<std::int32_t>(t);
  }
  return -1;
}

std::int32_t TraceMaker::Segment(const std::string& stream, std::vector<std::string> layers) {
  std::string model = scenario_->models.front().name;
  for (const Stream& known : scenario_->streams) {
    if (known.name == stream) model = scenario_->model(known.model).name;
  }
  for (std::size_t s = 0; s < run.segments.size(); ++s) {
    if (run.segments[s].model == model && run.segments[s].layers == layers)
      return static_cast<std::int32_t>(s);
  }
  run.segments.push_back({model, std::move(layers), {}});
  return static_cast<std::int32_t>(run.segments.size()) - 1;
}

TracedSpan& TraceMaker::Task(const std::string& unit, const std::string& stream, std::int64_t index,
                             double release, double start, double end, std::vector<std::string> layers) {
  TracedSpan span;
  span.track = Track(unit);
  span.stream = Position(run.streams, stream);
  span.index = index;
  span.segment = Segment(stream, std::move(layers));
  span.release = span.ready = Micros(release);
  span.start = span.shown_start = Micros(start);
  span.end = Micros(end);
  span.shown_duration = span.end - span.start;
  run.end = std::max(run.end, span.end);
  run.spans.push_back(span);
  return run.spans.back();
}

TracedSpan& TraceMaker::Copy(const std::string& unit, const std::string& stream, std::int64_t index,
                             const std::string& tensor, const std::string& from, const std::string& to,
                             double start, double end, std::vector<std::string> layers) {
  TracedSpan& span = Task(unit, stream, index, 0, start, end, std::move(layers));
  span.kind = SpanKind::kTransfer;
  span.tensor = Position(run.names, tensor);
  span.from = Position(run.names, from);
  span.to = Position(run.names, to);
  return span;
}

void TraceMaker::Join(const std::string& stream, std::int64_t index, std::int64_t with, double release,
                      double end) {
  TracedJoin join;
  join.stream = join.with_stream = Position(run.streams, stream);
  join.segment = Segment(stream, {});
  join.index = index;
  join.with = with;
  join.release = Micros(release);
  join.at = Micros(end);
  run.joins.push_back(join);
}

void TraceMaker::Drop(const std::string& stream, std::int64_t index, double release, double at) {
  TracedDrop drop;
  drop.stream = Position(run.streams, stream);
  drop.segment = Segment(stream, {});
  drop.index = index;
  drop.release = Micros(release);
  drop.at = Micros(at);
  run.drops.push_back(drop);
}

TraceJudgement TraceMaker::Judge() const {
  return CheckTrace(*scenario_, {scenario_->name, scenario_->platform->name, {run}});
}

std::set<std::string> TraceMaker::BrokenRules() const {
  std::set<std::string> rules;
  const TraceJudgement judgement = Judge();
  for (const TraceFinding& finding : judgement.violations) rules.insert(finding.rule);
  return rules;
}

std::string TraceMaker::FirstViolation(const std::string& rule) const {
  const TraceJudgement judgement = Judge();
  for (const TraceFinding& first : judgement.violations) {
    if (!rule.empty() && first.rule != rule) continue;
    return first.rule + " " + first.request + " @" + DecimalText(first.time.count(), 3) + ": " + first.what;
  }
  return {};
}

}  // namespace tandem
