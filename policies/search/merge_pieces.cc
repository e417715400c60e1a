#include "policies/search/merge_pieces.h"

#include <algorithm>
#include <set>

#include "profiles/model/model.h"

namespace tandem {
namespace {

// Per segment the units that run it.
std::vector<std::set<UnitId>> UnitsOf(const Problem& problem, const std::vector<Decision>& taken) {
  std::vector<std::set<UnitId>> units(problem.segments().size());
  for (const Decision& task : taken) units[task.segment.index()].insert(task.unit);
  return units;
}

std::vector<LayerId> WorkOf(const Problem& problem, const Segment& segment) {
  if (!segment.layers.empty()) return segment.layers;
  return WorkingLayers(*problem.scenario().model(problem.cut(segment.cut).model).model);
}

// The pieces of one cut; `merged` tells whether any is made of several segments.
ModelPieces MergedCut(const Problem& problem, const Cut& cut, const std::vector<std::set<UnitId>>& units,
                      bool& merged) {
  ModelPieces made{cut.model, cut.batch, {}};
  const std::set<UnitId>* before = nullptr;
  for (std::size_t s = cut.first.index(); s < cut.first.index() + static_cast<std::size_t>(cut.segments);
       ++s) {
    const Segment& segment = problem.segments()[s];
    const bool joins = before && !segment.part && units[s].size() == 1 && units[s] == *before;
    before = segment.part || units[s].size() != 1 ? nullptr : &units[s];
    std::vector<LayerId> layers = WorkOf(problem, segment);
    if (!joins) {
      made.pieces.push_back({std::move(layers), segment.part});
      continue;
    }
    merged = true;
    auto& into = made.pieces.back().layers;
    into.insert(into.end(), layers.begin(), layers.end());
    std::sort(into.begin(), into.end());
  }
  return made;
}

bool Measured(const Problem& problem, SegmentId id, UnitId unit) {
  const Segment& segment = problem.segment(id);
  const Cut& cut = problem.cut(segment.cut);
  return !segment.part && problem.scenario().Time(cut.model, unit, cut.batch, segment.layers, true);
}

// A layer of the segment that reads the tensor.
LayerId ReaderOf(const Model& model, const Segment& segment, LayerId tensor) {
  for (const LayerId user : model.users(tensor)) {
    if (segment.layers.empty() || std::binary_search(segment.layers.begin(), segment.layers.end(), user)) {
      return user;
    }
  }
  return LayerId();
}

}  // namespace

std::shared_ptr<const CutPlan> MergedCuts(const Problem& problem, const std::vector<Decision>& taken) {
  const auto units = UnitsOf(problem, taken);
  auto cuts = std::make_shared<CutPlan>();
  if (problem.cut_plan()) cuts->edges = problem.cut_plan()->edges;
  bool merged = false;
  for (const Cut& cut : problem.cuts()) cuts->cuts.push_back(MergedCut(problem, cut, units, merged));
  return merged ? cuts : nullptr;
}

std::vector<Decision> MergedTasks(const Problem& problem, const Problem& merged,
                                  const std::vector<Decision>& taken) {
  // Segments of `problem` run, part by part, in the order in which those of `merged` are made of them.
  std::vector<SegmentId> place(problem.segments().size());
  for (std::size_t c = 0; c < problem.cuts().size(); ++c) {
    const Cut &from = problem.cuts()[c], &to = merged.cuts()[c];
    for (std::size_t s = from.first.index(); s < from.first.index() + static_cast<std::size_t>(from.segments);
         ++s) {
      const Segment& segment = problem.segments()[s];
      const LayerId layer = WorkOf(problem, segment).front();
      for (std::size_t t = to.first.index(); t < to.first.index() + static_cast<std::size_t>(to.segments);
           ++t) {
        const std::vector<LayerId> layers = WorkOf(merged, merged.segments()[t]);
        if (merged.segments()[t].part == segment.part &&
            std::binary_search(layers.begin(), layers.end(), layer)) {
          place[s] = SegmentId(t);
        }
      }
    }
  }
  std::set<std::tuple<StreamId, std::int32_t, SegmentId>> there;
  std::vector<Decision> tasks;
  for (Decision task : taken) {
    task.segment = place[task.segment.index()];
    if (there.emplace(task.stream, task.index, task.segment).second) tasks.push_back(task);
  }
  return tasks;
}

std::vector<EdgeMode> MappableEdges(const Problem& problem, const std::vector<Decision>& taken) {
  const auto units = UnitsOf(problem, taken);
  std::vector<EdgeMode> edges;
  for (std::size_t s = 0; s < units.size(); ++s) {
    const Segment& segment = problem.segments()[s];
    const Cut& cut = problem.cut(segment.cut);
    const auto measured = [&](UnitId unit) { return Measured(problem, SegmentId(s), unit); };
    if (units[s].empty() || !std::all_of(units[s].begin(), units[s].end(), measured)) continue;
    const Model& model = *problem.scenario().model(cut.model).model;
    for (std::size_t i = 0; i < segment.reads.size(); ++i) {
      const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(segment.reads[i])];
      const LayerId reader = ReaderOf(model, segment, tensor.layer);
      if (segment.modes[i] != TransferMode::kCopy || !reader.valid()) continue;
      edges.push_back({cut.model, cut.batch, tensor.layer, reader, TransferMode::kZeroCopy});
    }
  }
  return edges;
}

}  // namespace tandem
