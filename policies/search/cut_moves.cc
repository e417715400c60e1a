#include "policies/search/cut_moves.h"

#include <algorithm>
#include <numeric>

#include "profiles/model/layer_parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostGranules = 8;  // that go from one part to the next at once

class CutMover {
 public:
  CutMover(const Problem& problem, StreamRandom& random) : problem_(problem), random_(random) {
    for (const Cut& cut : problem.cuts()) cuts_.push_back(PiecesOfCut(cut));
  }

  std::optional<CutMove> Move() {
    at_ = Below(cuts_.size());
    const std::size_t kind = Below(3);
    std::vector<CutPiece>& pieces = cuts_[at_].pieces;
    origin_.resize(pieces.size());
    std::iota(origin_.begin(), origin_.end(), std::size_t{0});
    const std::size_t piece = Below(pieces.size());
    if (pieces[piece].part ? !MoveRatio(piece) : kind == 0 ? !CutInTwo(piece) : !MoveBoundary(piece)) {
      return std::nullopt;
    }
    return Result();
  }

 private:
  std::size_t Below(std::size_t count) {
    return static_cast<std::size_t>(random_.UniformUpTo(static_cast<std::int64_t>(count) - 1));
  }

  ModelPieces PiecesOfCut(const Cut& cut) const {
    ModelPieces made{cut.model, cut.batch, {}};
    for (std::int32_t s = 0; s < cut.segments; ++s) {
      const Segment& segment = problem_.segment(SegmentId(cut.first.index() + static_cast<std::size_t>(s)));
      made.pieces.push_back({segment.layers, segment.part});
      if (segment.layers.empty()) made.pieces.back().layers = WorkingLayers(ModelOf(cut.model));
    }
    return made;
  }

  const Model& ModelOf(ModelId id) const { return *problem_.scenario().model(id).model; }

  // Its last layers to one that reads it, or the first of that to it.
  bool MoveBoundary(std::size_t piece) {
    const SegmentId first = problem_.cuts()[at_].first;
    const auto& feeds = problem_.segment(SegmentId(first.index() + piece)).feeds;
    if (feeds.empty()) return false;
    auto& pieces = cuts_[at_].pieces;
    CutPiece &a = pieces[piece], &b = pieces[feeds[Below(feeds.size())].index() - first.index()];
    if (b.part) return false;
    const bool forward = Below(2) == 0;
    CutPiece &from = forward ? a : b, &to = forward ? b : a;
    if (from.layers.size() < 2) return false;
    const auto count = static_cast<std::ptrdiff_t>(Below(from.layers.size() - 1) + 1);
    const auto begin = forward ? from.layers.end() - count : from.layers.begin();
    to.layers.insert(to.layers.end(), begin, begin + count);
    std::sort(to.layers.begin(), to.layers.end());
    from.layers.erase(begin, begin + count);
    return true;
  }

  bool CutInTwo(std::size_t piece) {
    auto& pieces = cuts_[at_].pieces;
    std::vector<LayerId>& layers = pieces[piece].layers;
    if (layers.size() < 2) return false;
    const auto middle = layers.begin() + static_cast<std::ptrdiff_t>(Below(layers.size() - 1) + 1);
    CutPiece latter{{middle, layers.end()}, std::nullopt};
    layers.erase(middle, layers.end());
    pieces.push_back(std::move(latter));
    origin_.push_back(piece);
    second_ = UnitId(Below(problem_.units()));
    return true;
  }

  // The end of the part and the beginning of the one that follows it.
  bool MoveRatio(std::size_t piece) {
    auto& pieces = cuts_[at_].pieces;
    LayerPart& part = *pieces[piece].part;
    const auto next = std::find_if(pieces.begin(), pieces.end(), [&](const CutPiece& other) {
      return other.part && other.layers == pieces[piece].layers && other.part->axis == part.axis &&
             other.part->first == part.end;
    });
    if (next == pieces.end()) return false;
    const std::int64_t granule =
        SplitRangeOf(ModelOf(cuts_[at_].model), pieces[piece].layers, part.axis).granule;
    const std::int64_t by = granule * (random_.UniformUpTo(kMostGranules - 1) + 1);
    const std::int64_t end = Below(2) == 0 ? part.end + by : part.end - by;
    if (end <= part.first || end >= next->part->end) return false;
    part.end = next->part->first = end;
    return true;
  }

  CutMove Result() {
    CutMove move;
    for (const ModelPieces& cut : cuts_) {
      move.origin.emplace_back(cut.pieces.size());
      std::iota(move.origin.back().begin(), move.origin.back().end(), std::size_t{0});
    }
    move.origin[at_] = std::move(origin_);
    move.second = second_;
    auto plan = std::make_shared<CutPlan>();
    if (problem_.cut_plan()) plan->edges = problem_.cut_plan()->edges;
    plan->cuts = std::move(cuts_);
    move.cuts = std::move(plan);
    return move;
  }

  const Problem& problem_;
  StreamRandom& random_;
  std::vector<ModelPieces> cuts_;
  std::size_t at_ = 0;               // the cut that is moved
  std::vector<std::size_t> origin_;  // of its pieces
  UnitId second_;
};

// The piece that a segment was made of: some layers may have joined it that cost nothing.
std::size_t PieceOf(const ModelPieces& cut, const Segment& segment) {
  const auto found = std::find_if(cut.pieces.begin(), cut.pieces.end(), [&](const CutPiece& piece) {
    return piece.part == segment.part &&
           (segment.layers.empty() ||
            std::binary_search(segment.layers.begin(), segment.layers.end(), piece.layers.front()));
  });
  return static_cast<std::size_t>(found - cut.pieces.begin());
}

}  // namespace

std::optional<CutMove> MoveCut(const Problem& problem, StreamRandom& random) {
  return CutMover(problem, random).Move();
}

std::vector<Decision> MovedTasks(const Problem& problem, const Problem& moved, const CutMove& move,
                                 const std::vector<Decision>& taken) {
  struct Target {
    SegmentId segment;
    bool second = false;
  };
  std::vector<std::vector<Target>> targets(problem.segments().size());
  for (std::size_t s = 0; s < moved.segments().size(); ++s) {
    const Segment& segment = moved.segment(SegmentId(s));
    const auto& origin = move.origin[segment.cut.index()];
    const std::size_t piece = PieceOf(move.cuts->cuts[segment.cut.index()], segment);
    const Cut& before = problem.cut(segment.cut);
    const bool second = piece >= static_cast<std::size_t>(before.segments);
    targets[before.first.index() + origin[piece]].push_back({SegmentId(s), second});
  }
  std::vector<Decision> tasks;
  for (Decision task : taken) {
    const UnitId unit = task.unit;
    for (const Target& target : targets[task.segment.index()]) {
      task.segment = target.segment;
      task.unit = target.second && move.second.valid() ? move.second : unit;
      tasks.push_back(task);
    }
  }
  return tasks;
}

}  // namespace tandem
