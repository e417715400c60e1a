#include "tests/support/cut_run.h"

#include <algorithm>

#include "policies/kinds/list_policy.h"

namespace tandem {
namespace {

struct FirstTasks final : SpanSink {
  explicit FirstTasks(const Problem& of) : problem(of) {}
  void Add(const Span& span) override {
    if (span.kind == SpanKind::kCompute && span.index == 0) spans.push_back(span);
  }
  void Ended(const RequestEnd&) override {}

  std::vector<std::string> Texts() {
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::tie(a.start, a.segment) < std::tie(b.start, b.segment);
    });
    std::vector<std::string> texts;
    for (const Span& span : spans) {
      const Segment& segment = problem.segment(SegmentId(static_cast<std::size_t>(span.segment)));
      const ScenarioModel& model = problem.scenario().model(problem.cut(segment.cut).model);
      std::string text = problem.platform().unit(span.unit).name + ":";
      if (segment.layers.empty()) text += " all";
      for (const LayerId layer : segment.layers) text += " " + model.model->layer(layer).name;
      if (segment.part) text += " [" + segment.part->Text() + "]";
      texts.push_back(text);
    }
    return texts;
  }

  const Problem& problem;
  std::vector<Span> spans;
};

void Finish(CutRun& run, Policy& policy) {
  FirstTasks tasks(*run.problem);
  RunOptions options;
  options.spans = &tasks;
  run.outcome = RunVirtual(*run.problem, policy, options);
  run.tasks = tasks.Texts();
  for (const UnitOutcome& unit : run.outcome.units) run.busy.push_back(unit.busy);
}

}  // namespace

Nanos CutRun::LargestBusy() const { return *std::max_element(busy.begin(), busy.end()); }

CutRun RunCut(const Scenario& scenario, const std::string& policy) {
  const JsonDocument document = JsonDocument::Parse(policy, "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  CutRun run;
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  run.problem = made.problem;
  Finish(run, *made.policy);
  return run;
}

CutRun RunPieces(const Scenario& scenario, const std::vector<AssignedPieces>& cuts) {
  const Problem plain(scenario, Granularity::kLayer);
  auto chosen = std::make_shared<CutPlan>();
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    ModelPieces cut{plain.cuts()[c].model, plain.cuts()[c].batch, {}};
    for (const AssignedPiece& piece : cuts[c]) cut.pieces.push_back(piece.piece);
    chosen->cuts.push_back(std::move(cut));
  }
  CutRun run;
  run.problem = std::make_unique<Problem>(scenario, Granularity::kLayer, chosen);
  ListPolicy policy(*run.problem, [&](UnitId unit, StreamId, SegmentId id) {
    const Segment& segment = run.problem->segment(id);
    for (const AssignedPiece& bound : cuts[segment.cut.index()]) {
      const bool same =
          segment.layers.empty() ||
          (bound.piece.part == segment.part &&
           std::binary_search(segment.layers.begin(), segment.layers.end(), bound.piece.layers[0]));
      if (same) return LaneRule{.takes = bound.unit == unit};
    }
    return LaneRule{};
  });
  Finish(run, policy);
  return run;
}

}  // namespace tandem
