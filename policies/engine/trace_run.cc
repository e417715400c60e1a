#include "policies/engine/trace_run.h"

namespace tandem {
namespace {

std::vector<TraceEdge> EdgesOf(const Problem& problem) {
  std::vector<TraceEdge> edges;
  for (const EdgeMode& edge : problem.cut_plan()->edges) {
    const ScenarioModel& model = problem.scenario().model(edge.model);
    const std::string to = edge.to.valid() ? model.model->layer(edge.to).name : "";
    edges.push_back({model.name, edge.batch, model.model->layer(edge.from).name, to, edge.mode});
  }
  return edges;
}

std::vector<std::string> TensorsOf(const Problem& problem, StreamId stream) {
  const Cut& cut = problem.cut(stream);
  const Model& model = *problem.scenario().model(cut.model).model;
  std::vector<std::string> names;
  for (const CutTensor& tensor : cut.tensors) {
    names.push_back(model.layer(tensor.layer).name);
    if (!tensor.producer.valid()) continue;
    if (const auto& part = problem.segment(tensor.producer).part) names.back() += " " + part->Text();
  }
  return names;
}

std::vector<TraceTensor> MadeOf(const Cut& cut) {
  std::vector<TraceTensor> made;
  for (const CutTensor& tensor : cut.tensors) {
    const bool input = !tensor.producer.valid();
    made.push_back({input ? -1 : static_cast<std::int32_t>(tensor.producer.index()), tensor.elements,
                    tensor.element_bytes});
  }
  return made;
}

TraceTables TablesOf(const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  TraceTables tables;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    tables.element_bytes.push_back(problem.ElementBytes(UnitId(u)));
    auto& weights = tables.weights.emplace_back();
    for (std::size_t m = 0; m < scenario.models.size(); ++m) {
      weights.push_back(problem.WeightBytes(ModelId(m), UnitId(u)));
    }
  }
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    tables.reads.push_back(problem.segment(SegmentId(s)).reads);
    auto& joules = tables.joules.emplace_back();
    for (std::size_t u = 0; u < problem.units(); ++u) {
      joules.push_back(problem.Joules(SegmentId(s), UnitId(u)));
    }
  }
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    tables.tensors.push_back(MadeOf(problem.cut(StreamId(s))));
  }
  return tables;
}

}  // namespace

TraceSegment NamedSegment(const Problem& problem, SegmentId id) {
  const Segment& segment = problem.segment(id);
  const ScenarioModel& model = problem.scenario().model(problem.model_of(id));
  TraceSegment named{model.name, {}, segment.part};
  for (const LayerId layer : segment.layers) named.layers.push_back(model.model->layer(layer).name);
  return named;
}

TraceRun TraceRunOf(const Prepared& made, const PolicySpec& policy, const std::string& engine,
                    bool measured) {
  const Problem& problem = *made.problem;
  const Scenario& scenario = problem.scenario();
  TraceRun run;
  run.name = (measured ? "measured: " : "predicted: ") + policy.label;
  run.policy = policy.label;
  run.engine = engine;
  run.measured = measured;
  run.seed = scenario.seed;
  run.granularity = problem.granularity();
  run.residents.resize(problem.units());
  for (std::size_t u = 0; u < problem.units(); ++u) {
    for (const ModelId model : problem.HeldBy(UnitId(u))) {
      run.residents[u].push_back(scenario.models[model.index()].name);
    }
  }
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    run.segments.push_back(NamedSegment(problem, SegmentId(s)));
  }
  if (problem.cut_plan()) run.edges = EdgesOf(problem);
  const Decisions* const decided = made.policy->decisions();
  if (decided && decided->rule) run.rule = decided->rule->declaration->name;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    run.tensors.push_back(TensorsOf(problem, StreamId(s)));
  }
  run.tables = TablesOf(problem);
  return run;
}

std::optional<double> JoulesOf(const Problem& problem, const Span& span) {
  if (span.unit.index() >= problem.units()) return 0.0;  // copy engines draw nothing of their own
  const SegmentId segment(static_cast<std::size_t>(span.segment));
  const auto joules = problem.Joules(segment, span.unit);
  if (joules && span.kind != SpanKind::kLost) {
    return span.kind == SpanKind::kCompute ? *joules : 0.0;
  }
  const Unit& unit = problem.platform().unit(span.unit);
  if (unit.time_shared) return std::nullopt;  // its part depends on who else is at work
  const Watts draws = unit.Draws();
  if (!draws.idle || !draws.busy) return std::nullopt;
  return draws.AboveIdle() * static_cast<double>((span.end - span.start).count()) / 1e9;
}

}  // namespace tandem
