#include <algorithm>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

bool NeedsNoTask(const Layer& layer) { return layer.op == Op::kInput || IsFree(layer.op); }

// What the tasks of one request do of each layer.
class Cover {
 public:
  Cover(const CheckedRun& run, const CheckedRequest& request)
      : run_(run), model_(run.model(run.stream(request.stream).model)), parts_(model_.size()) {
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      const CheckedSegment& segment = run.segment(run.tasks[t]);
      (segment.layers.empty() ? wholes_ : pieces_) += 1;
      for (const LayerId layer : segment.layers) parts_[layer.index()].push_back(&segment);
    }
    for (auto& parts : parts_) std::sort(parts.begin(), parts.end(), ComesFirst);
  }

  bool Complete() const {
    if (wholes_ > 0) return true;
    for (std::size_t l = 0; l < model_.size(); ++l) {
      if (!NeedsNoTask(model_.layers()[l]) && !Missing(LayerId(l)).empty()) return false;
    }
    return true;
  }

  // Empty: nothing is wrong.
  std::string Problem() const {
    if (wholes_ > 0) return wholes_ + pieces_ == 1 ? "" : "the whole model runs, and parts of it run too";
    for (std::size_t l = 0; l < model_.size(); ++l) {
      if (std::string twice = Twice(LayerId(l)); !twice.empty()) return twice;
    }
    for (std::size_t l = 0; run_.run().complete && l < model_.size(); ++l) {
      if (NeedsNoTask(model_.layers()[l]) && parts_[l].empty()) continue;
      if (std::string missing = Missing(LayerId(l)); !missing.empty()) return missing;
    }
    return {};
  }

 private:
  static bool ComesFirst(const CheckedSegment* a, const CheckedSegment* b) { return a->part < b->part; }
  std::string Name(LayerId layer) const { return "layer \"" + model_.layer(layer).name + "\""; }

  std::string Twice(LayerId layer) const {
    const auto& parts = parts_[layer.index()];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const CheckedSegment &before = *parts[i - 1], &after = *parts[i];
      const bool split = before.part && after.part && before.part->axis == after.part->axis;
      if (!split) return Name(layer) + " runs twice";
      if (before.layers != after.layers) return Name(layer) + " is split with other layers than before";
      if (after.part->first < before.part->end) {
        return after.part->Text() + " of " + Name(layer) + " run, and of them some run in another part too";
      }
    }
    return {};
  }

  std::string Missing(LayerId layer) const {
    const auto& parts = parts_[layer.index()];
    if (parts.empty()) return Name(layer) + " never runs";
    if (!parts[0]->part) return {};
    LayerPart rest = *parts[0]->part;
    rest.first = 0;
    rest.end = model_.layer(layer).output[rest.axis == SplitAxis::kChannels ? 1 : 2];
    for (const CheckedSegment* of : parts) {
      if (of->part->first > rest.first) rest.end = of->part->first;
      if (of->part->first > rest.first) break;
      rest.first = of->part->end;
    }
    return rest.first < rest.end ? rest.Text() + " of " + Name(layer) + " never run" : "";
  }

  const CheckedRun& run_;
  const Model& model_;
  int wholes_ = 0, pieces_ = 0;
  std::vector<std::vector<const CheckedSegment*>> parts_;  // per layer the tasks that have it
};

}  // namespace

void CheckLayers(CheckedRun& run, Findings& findings) {
  for (CheckedRequest& request : run.requests) {
    if (request.dropped) continue;
    if (request.with) {
      request.done = true;  // as the one that it went along with; CheckBatches
      continue;
    }
    const Cover cover(run, request);
    request.done = cover.Complete();
    std::string problem = cover.Problem();
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
