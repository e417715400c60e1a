// Where each task of a model runs when they run one after the other: the least sum of their times, with the
// copies of what lies elsewhere. A task may also be split over several units at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "policies/cutting/piece_times.h"
#include "policies/cutting/split_ratio.h"
#include "policies/problem/cut_model.h"

namespace tandem {

// Who runs a task: one unit, or several of which each makes a part.
struct PlacedPart {
  UnitId unit;
  std::optional<LayerPart> part;
};
using PlacedTask = std::vector<PlacedPart>;

struct ChainPlacement {
  Nanos total{0};
  std::vector<PlacedTask> tasks;  // per segment of the cut
  std::vector<Nanos> times;       // the same: until the next one may begin
};

struct PlacerCase {
  std::vector<char> usable;     // per unit
  std::vector<SplitAxis> axes;  // along which tasks may be split; none: not at all
  UnitId preferred;             // valid: where it can run a task, no other unit does
};

// A tensor may lie in several memories, and in pieces where its maker was split.
struct TensorPiece {
  std::int64_t bytes = 0;
  std::vector<MemoryId> memories;  // ascending
  UnitId maker;                    // where it matters, in one of them
  friend auto operator<=>(const TensorPiece&, const TensorPiece&) = default;
};
using TensorPlace = std::vector<TensorPiece>;

class ChainPlacer {
 public:
  // `times` and `cut` outlive it; `cut` has the segments of times.cuts()[index].
  ChainPlacer(const PieceTimes& times, std::size_t index, const CutSegments& cut);

  // Exact for chains; where more than a few tensors live at once, over memories of their own, the best of the
  // most promising ways. Nothing: a task runs on no usable unit.
  std::optional<ChainPlacement> Find(const PlacerCase& wanted);

  // The least time of a task in one piece, and what it takes to bring a tensor to a memory.
  std::optional<Nanos> Time(std::size_t task, UnitId unit, bool mapped = false) const;
  Nanos BringIn(const TensorPlace& place, UnitId unit) const;
  static bool IsIn(const TensorPlace& place, MemoryId memory);  // all of it
  // Where the inputs of the model are before the run.
  TensorPlace Input(std::size_t tensor) const;
  TensorPlace MadeBy(std::size_t tensor, const PlacedTask& task) const;
  // Of a task's outputs that leave the model.
  Nanos WayBack(std::size_t task, const PlacedPart& part) const;

 private:
  struct State {
    UnitId last;                      // that ran the task before, in one piece; its next one goes on with it
    std::vector<TensorPlace> places;  // of tensors that are still to be read
    friend auto operator<=>(const State&, const State&) = default;
  };
  struct Label {
    Nanos total{0}, time{0};
    PlacedTask task;
    std::size_t before = 0;
  };
  struct Step {
    std::vector<std::int32_t> alive;  // tensors after the task
    std::vector<Label> labels;
  };
  using States = std::map<State, std::size_t>;  // to labels

  void Extend(const PlacerCase& wanted, std::size_t task, const State& state, std::size_t label,
              States& next);
  void Alone(std::size_t task, UnitId unit, const State& state, std::size_t label, States& next);
  void Split(const PlacerCase& wanted, std::size_t task, const State& state, std::size_t label, States& next);
  void SplitOver(std::size_t task, SplitAxis axis, const std::vector<SplitUnit>& units, const State& state,
                 std::size_t label, States& next);
  void Keep(std::size_t task, const State& state, std::size_t label, PlacedTask placed, Nanos time,
            States& next);
  Nanos BringInAll(std::size_t task, const State& state, UnitId unit, bool& mapped) const;
  const TensorPlace& PlaceIn(const State& state, std::size_t task, std::int32_t tensor) const;
  std::vector<std::int32_t> AliveAfter(std::size_t task) const;
  std::int64_t BytesMade(std::size_t tensor, const PlacedPart& part) const;
  static void Prune(States& states, const std::vector<Label>& labels);
  ChainPlacement Trace(std::size_t label) const;

  const PieceTimes& times_;
  std::size_t index_;
  const CutSegments& cut_;
  std::vector<std::vector<LayerId>> layers_;  // per task
  bool moves_ = false;  // are tensors copied between memories, or read through mappings?
  SplitRatios ratios_;
  std::vector<Step> steps_;                    // per task
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<Nanos> time_[2];                 // per task and unit; [1] through a mapping; negative: cannot
};

}  // namespace tandem
