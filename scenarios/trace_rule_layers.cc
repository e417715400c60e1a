#include <algorithm>

#include "scenarios/trace_rules.h"

namespace tandem {
namespace {

bool NeedsNoTask(const Layer& layer) { return layer.op == Op::kInput || IsFree(layer.op); }

// What is wrong with the layers of a request's tasks; empty: nothing.
std::string CoverProblem(const CheckedRun& run, const CheckedRequest& request) {
  const Model& model = run.model(run.stream(request.stream).model);
  std::vector<char> runs(model.size());
  for (std::size_t t = request.first_task; t < request.last_task; ++t) {
    const CheckedSegment& segment = run.segment(run.tasks[t]);
    if (segment.layers.empty()) {
      if (request.last_task - request.first_task == 1) return {};
      return "the whole model runs, and parts of it run too";
    }
    for (const LayerId layer : segment.layers) {
      if (runs[layer.index()]) return "layer \"" + model.layer(layer).name + "\" runs twice";
      runs[layer.index()] = 1;
    }
  }
  if (!run.run().complete) return {};
  for (std::size_t l = 0; l < model.size(); ++l) {
    if (!runs[l] && !NeedsNoTask(model.layers()[l]))
      return "layer \"" + model.layers()[l].name + "\" never runs";
  }
  return {};
}

bool AllRan(const CheckedRun& run, const CheckedRequest& request) {
  const Model& model = run.model(run.stream(request.stream).model);
  std::size_t ran = 0, needed = 0;
  for (std::size_t t = request.first_task; t < request.last_task; ++t) {
    const CheckedSegment& segment = run.segment(run.tasks[t]);
    if (segment.layers.empty()) return true;
    ran += static_cast<std::size_t>(std::count_if(segment.layers.begin(), segment.layers.end(),
                                                  [&](LayerId id) { return !NeedsNoTask(model.layer(id)); }));
  }
  for (const Layer& layer : model.layers()) needed += NeedsNoTask(layer) ? 0 : 1;
  return ran >= needed;
}

}  // namespace

void CheckLayers(CheckedRun& run, Findings& findings) {
  for (CheckedRequest& request : run.requests) {
    if (request.dropped) continue;
    request.done = AllRan(run, request);
    std::string problem = CoverProblem(run, request);
    if (problem.empty()) continue;
    findings.Violation("layers", run.Name(request), run.tasks[request.first_task].start, std::move(problem));
  }
}

void CheckUnits(const CheckedRun& run, Findings& findings) {
  for (const CheckedTask& task : run.tasks) {
    if (run.work(task).time[task.unit.index()] >= Nanos{0}) continue;
    findings.Violation("units", run.Name(task), task.start,
                       "unit \"" + run.platform().unit(task.unit).name + "\" has no time for it");
  }
}

}  // namespace tandem
