#include "policies/cutting/sequential_pieces.h"

#include <algorithm>

namespace tandem {
namespace {

class Joiner {
 public:
  Joiner(const PieceTimes& times, std::size_t index, const CutSegments& cut, const ChainPlacement& placement,
         const std::vector<char>& apart)
      : times_(times), index_(index), cut_(cut), placement_(placement), apart_(apart) {}

  AssignedPieces Make() {
    const std::size_t tasks = cut_.segments.size();
    for (std::size_t task = 0; task < tasks;) {
      std::size_t end = task + 1;
      while (end < tasks && GoesOn(task, end)) ++end;
      if (!AddJoined(task, end)) {
        for (std::size_t each = task; each < end; ++each) AddApart(each);
      }
      task = end;
    }
    return std::move(pieces_);
  }

 private:
  bool Single(std::size_t task) const {
    return placement_.tasks[task].size() == 1 && (apart_.empty() || !apart_[task]);
  }
  bool GoesOn(std::size_t first, std::size_t task) const {
    return Single(first) && Single(task) && placement_.tasks[task][0].unit == placement_.tasks[first][0].unit;
  }

  std::vector<LayerId> LayersOf(std::size_t task) const {
    const auto& layers = cut_.segments[task].layers;
    return layers.empty() ? WorkingLayers(times_.model(index_)) : layers;
  }

  bool AddJoined(std::size_t first, std::size_t end) {
    if (end == first + 1) return false;
    const UnitId unit = placement_.tasks[first][0].unit;
    std::vector<LayerId> layers;
    Nanos apart{0};
    for (std::size_t task = first; task < end; ++task) {
      const std::vector<LayerId> of_task = LayersOf(task);
      layers.insert(layers.end(), of_task.begin(), of_task.end());
      apart += times_.Time(index_, unit, of_task).value_or(Nanos{0}) + times_.Dispatch(unit);
    }
    std::sort(layers.begin(), layers.end());
    const bool whole = first == 0 && end == cut_.segments.size();
    const auto together = whole ? times_.WholeModel(index_, unit) : times_.Time(index_, unit, layers);
    if (!together || *together + times_.Dispatch(unit) > apart) return false;
    pieces_.push_back({{std::move(layers), std::nullopt}, unit});
    return true;
  }

  void AddApart(std::size_t task) {
    for (const PlacedPart& part : placement_.tasks[task]) {
      pieces_.push_back({{LayersOf(task), part.part}, part.unit});
    }
  }

  const PieceTimes& times_;
  std::size_t index_;
  const CutSegments& cut_;
  const ChainPlacement& placement_;
  const std::vector<char>& apart_;
  AssignedPieces pieces_;
};

}  // namespace

std::vector<CutSegments> CutsToTry(const PieceTimes& times, std::size_t index) {
  const ModelToCut& wanted = times.cuts()[index];
  std::vector<CutSegments> cuts;
  for (const auto& [name, granularity] : kGranularityNames) {
    CutSegments cut = CutModel(times.scenario(), wanted.model, wanted.batch, granularity);
    const auto same = [&](const CutSegments& known) { return known.segments.size() == cut.segments.size(); };
    if (std::none_of(cuts.begin(), cuts.end(), same)) cuts.push_back(std::move(cut));
  }
  return cuts;
}

AssignedPieces PiecesOf(const PieceTimes& times, std::size_t index, const CutSegments& cut,
                        const ChainPlacement& placement, const std::vector<char>& apart) {
  return Joiner(times, index, cut, placement, apart).Make();
}

}  // namespace tandem
