// Where a pipeline cuts one model, and which unit runs each of its stages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "policies/cutting/piece_times.h"
#include "policies/cutting/range_times.h"

namespace tandem {

struct Stage {
  std::size_t first = 0, end = 0;  // of WorkingLayers
  UnitId unit;
  Nanos time{0};  // that one request occupies a slot of the unit: dispatch, bring-ins, work, way back
};

// What the other models put on the units, and what this one may use.
struct PipelineCase {
  std::vector<char> usable;  // per unit
  std::vector<double> load;  // per unit: work of others, in nanoseconds; of units that exclude it too
  double requests = 1;       // how often this model runs beside them
  std::int64_t stages = 0;   // at most so many; 0: any number
  friend bool operator==(const PipelineCase&, const PipelineCase&) = default;
};

// The stages in order, of distinct units none of which share cores or a device. The largest (load + requests
// x time) / slots of a unit is least; of equals the sum of the times; then their number. Every cut and every
// assignment is looked at for up to six units, as long as the model is of moderate size; otherwise units
// follow each other in good orders that are improved step by step. Nothing: the units cannot run all layers.
class PipelineSearch {
 public:
  // `times` outlives it.
  PipelineSearch(const PieceTimes& times, std::size_t cut);

  std::optional<std::vector<Stage>> Find(const PipelineCase& wanted);

 private:
  struct Tensor {
    std::int32_t producer = -1;           // place of its layer; -1: an input of the model
    std::vector<std::int32_t> consumers;  // places, ascending
    std::int64_t elements = 0;
  };
  // Where a tensor lies (a bit per memory of a unit), how many bytes its elements have, and who made it where
  // that matters.
  struct Place {
    std::uint64_t memories = 0;
    std::int64_t element_bytes = 0;
    UnitId maker;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // What the stages up to a point leave behind.
  struct State {
    std::uint64_t used = 0;     // a bit per unit; in an order of units: how far it has come
    std::int64_t stages = 0;    // where their number is limited
    std::vector<Place> places;  // of the tensors that live across the point
    friend auto operator<=>(const State&, const State&) = default;
  };
  struct Label {
    double most = 0;         // the largest load so far
    std::int64_t total = 0;  // of the times
    std::int64_t stages = 0;
    std::int32_t point = 0, before = -1;  // where the last stage began, and from which label
    UnitId unit;
    Nanos time{0};
  };
  struct AtPoint {
    std::map<State, std::size_t> index;
    std::vector<State> states;
    std::vector<Label> labels;
  };
  struct Goal;

  void FindTensors();
  void FindPoints();
  void FindUnits(const PipelineCase& wanted);
  std::vector<std::int32_t> AliveAt(std::size_t point) const;
  double LoadOf(const PipelineCase& wanted, UnitId unit, std::int64_t time) const;
  std::optional<std::vector<Stage>> FindInOrders(const PipelineCase& wanted);
  std::optional<std::vector<Stage>> Best(const PipelineCase& wanted, bool in_order, double& most);
  std::optional<std::vector<Stage>> Run(const PipelineCase& wanted, const Goal& goal, double& most);
  void Extend(const PipelineCase& wanted, const Goal& goal, std::size_t from, std::size_t label);
  void ExtendOn(const PipelineCase& wanted, const Goal& goal, std::size_t from, std::size_t label,
                std::size_t position);
  std::int64_t BringIn(const Place& place, std::int64_t elements, UnitId unit, std::size_t memory) const;
  std::int64_t WayBack(UnitId unit, std::size_t from, std::size_t to) const;
  State Next(const State& state, std::size_t from, std::size_t to, std::size_t position,
             const Goal& goal) const;
  void Keep(std::size_t point, State state, const Label& label, const Goal& goal);
  std::vector<Stage> StagesOf(std::int32_t label) const;

  const PieceTimes& times_;
  std::size_t cut_;
  std::vector<LayerId> layers_;
  std::vector<Tensor> tensors_;
  std::vector<std::pair<std::int32_t, std::int64_t>> leaving_;  // places of outputs, and their elements
  std::vector<std::size_t> points_;
  std::vector<std::vector<std::int32_t>> alive_;   // per point: tensors
  std::vector<UnitId> units_;                      // in the order in which they are looked at
  std::vector<std::optional<RangeTimes>> ranges_;  // per unit of the platform, once it is looked at
  std::vector<std::vector<char>> excludes_;        // per pair of units
  std::vector<MemoryId> memories_;                 // those of units, the first memory first
  bool moves_ = false;                             // are tensors copied between memories, or handed over?
  std::vector<AtPoint> at_;                        // per point
};

}  // namespace tandem
