// Room policies/problem: a scenario as plain tables: cuts, times, residents, routes. No names and no JSON
// any more.
//
// A scenario made ready to be scheduled: plain tables of what can run where and how long it takes. Nothing is
// looked up by name any more and no JSON is in sight. One Problem per granularity and choice of residents.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/problem/places.h"
#include "profiles/base/ids.h"
#include "profiles/base/time.h"
#include "profiles/model/layer_parts.h"
#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

using SegmentId = Id<struct SegmentTag>;
using CutId = Id<struct CutTag>;

// What one segment makes and others read, or a model's input (made by none).
struct CutTensor {
  SegmentId producer;                // invalid: an input of the model, which starts in the first memory
  std::int64_t elements = 0;         // of the whole batch
  std::vector<SegmentId> consumers;  // ascending, none twice
  bool leaves = false;               // an output of the model, which ends in the first memory
  LayerId layer = {};                // whose output it is, or a part of it
  TransferMode back = TransferMode::kCopy;  // how it comes back where it leaves
};

struct Segment {
  CutId cut;
  std::vector<LayerId> layers;      // ascending; empty: the whole model
  std::optional<LayerPart> part;    // of what they make
  std::vector<std::int32_t> reads;  // positions in Cut::tensors, ascending
  std::vector<TransferMode> modes;  // how each of these comes
  std::vector<std::int32_t> makes;  // the same
  std::vector<SegmentId> feeds;     // those that read what it makes, ascending, none twice
  std::int32_t waits_for = 0;       // how many segments feed it
};

// How the requests of one (model, batch) are cut into tasks. Its segments follow each other in topological
// order.
struct Cut {
  ModelId model;
  std::int64_t batch = 1;
  SegmentId first;
  std::int32_t segments = 0;
  std::vector<SegmentId> sources;  // those that wait for no other
  std::vector<CutTensor> tensors;
};

class Slowdowns;
struct CutSegments;

class Problem {
 public:
  static constexpr Nanos kCannot{-1};

  // Throws InputError where a stream runs nowhere at this granularity. `scenario` outlives the Problem and
  // has a platform and costs.
  Problem(const Scenario& scenario, Granularity granularity, std::shared_ptr<const CutPlan> cuts = nullptr);

  const Scenario& scenario() const { return *scenario_; }
  const Platform& platform() const { return *scenario_->platform; }
  Granularity granularity() const { return granularity_; }
  // What is cut otherwise; null: nothing.
  const std::shared_ptr<const CutPlan>& cut_plan() const { return cut_plan_; }
  std::size_t units() const { return units_; }
  const Places& places() const { return places_; }

  const std::vector<Cut>& cuts() const { return cuts_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const Cut& cut(CutId id) const { return cuts_[id.index()]; }
  const Segment& segment(SegmentId id) const { return segments_[id.index()]; }
  CutId cut_of(StreamId stream) const { return cut_of_stream_[stream.index()]; }
  const Cut& cut(StreamId stream) const { return cuts_[cut_of(stream).index()]; }
  std::string NameOf(SegmentId id) const;  // for messages: layer "conv1" of model "alexnet"
  ModelId model_of(SegmentId id) const { return cut(segment(id).cut).model; }

  // May the unit take the segment, as things are loaded or can be loaded?
  bool Runs(SegmentId segment, UnitId unit) const { return Time(segment, unit) >= Nanos{0}; }
  // The profiled time alone; kCannot where it cannot run.
  Nanos Time(SegmentId segment, UnitId unit) const { return time_[At(segment, unit)]; }
  // Whatever is resident.
  Nanos Profiled(SegmentId segment, UnitId unit) const { return profiled_[At(segment, unit)]; }
  // Is the time that of a part for which no size was measured?
  bool Estimated(SegmentId segment, UnitId unit) const { return estimated_[At(segment, unit)] != 0; }
  // The same where an input is read through a zero-copy mapping; the plain time where no profile tells them
  // apart.
  Nanos MappedTime(SegmentId segment, UnitId unit) const { return mapped_[At(segment, unit)]; }
  // Above idle, where the profile has it for every part of the segment.
  std::optional<double> Joules(SegmentId segment, UnitId unit) const {
    const double joules = joules_[At(segment, unit)];
    return joules < 0 ? std::nullopt : std::optional(joules);
  }
  Nanos Dispatch(UnitId unit) const { return dispatch_[unit.index()]; }
  const Slowdowns& slowdowns() const { return *slowdowns_; }

  // What a unit holds at the start. A unit that the scenario restricts, or that has no limit, holds what the
  // scenario says; the choice for the others is a default (see residency.cc) until a policy makes its own.
  bool Resident(ModelId model, UnitId unit) const;
  std::optional<std::int64_t> ResidentLimit(UnitId unit) const;
  bool MayChooseResidents(UnitId unit) const { return may_choose_[unit.index()] != 0; }
  // Within the limit and the memory, beside what other units hold in it?
  bool MayHoldTogether(UnitId unit, const std::vector<ModelId>& models) const;
  void ChooseResidents(UnitId unit, const std::vector<ModelId>& models);  // those that it may hold together
  std::int64_t ElementBytes(UnitId unit) const { return element_bytes_[unit.index()]; }  // of what it makes
  std::int64_t WeightBytes(ModelId model, UnitId unit) const;
  // What one task reads and makes in the unit's memory. A model's input lies in the first memory uncounted.
  std::int64_t TaskBytes(SegmentId segment, UnitId unit) const;
  static bool Occupies(const CutTensor& tensor, MemoryId memory) {
    return tensor.producer.valid() || memory != MemoryId(0);
  }
  // Does a tensor that it reads, or makes for others, come by a copy where it does not lie there?
  bool Copies(SegmentId segment) const { return Moves(segment, TransferMode::kCopy); }
  // Or through a zero-copy mapping?
  bool Maps(SegmentId segment) const { return Moves(segment, TransferMode::kZeroCopy); }
  // Putting the model there, where a profile has the time.
  std::optional<Nanos> LoadTime(ModelId model, UnitId unit) const;
  bool LoadsModels(UnitId unit) const;  // any: then it may have to give up another

 private:
  std::size_t At(SegmentId segment, UnitId unit) const { return segment.index() * units_ + unit.index(); }
  CutSegments CutOf(ModelId model, std::int64_t batch) const;
  bool Moves(SegmentId segment, TransferMode mode) const;
  void CheckChosen() const;
  void CheckEdge(const EdgeMode& edge) const;
  void SetModes(ModelId model, std::int64_t batch, CutSegments& made) const;
  void CutStreams();
  void ReadDispatch();
  void ReadTimes();
  void ReadPartTime(const Segment& segment, UnitId unit, bool mapping);
  void ReadLoads();
  void TakeUnreachableOut();
  void HoldAtStart(UnitId unit);
  std::int64_t BytesToHold(UnitId unit, const std::vector<ModelId>& models) const;
  std::string TooMuchFor(UnitId unit, const std::vector<ModelId>& models) const;
  std::string WhyNowhere(SegmentId segment) const;
  void ApplyResidents();
  void CheckAllRun() const;
  bool Choosable(ModelId model, UnitId unit) const;
  bool CanLoad(ModelId model, UnitId unit) const;

  const Scenario* scenario_;
  Granularity granularity_;
  std::shared_ptr<const CutPlan> cut_plan_;
  std::size_t units_;
  Places places_;
  std::vector<Cut> cuts_;
  std::vector<Segment> segments_;
  std::vector<CutId> cut_of_stream_;
  std::vector<Nanos> profiled_;  // per segment and unit, whatever is resident
  std::vector<Nanos> time_;      // the same, kCannot where residents forbid it
  std::vector<Nanos> mapped_;
  std::vector<double> joules_;  // negative: unknown
  std::vector<char> estimated_;
  std::vector<Nanos> dispatch_;
  std::vector<Nanos> split_dispatch_;        // what a part takes beyond it
  std::vector<std::optional<Nanos>> load_;   // per model and unit
  std::vector<char> resident_;               // the same
  std::vector<char> may_choose_;             // per unit
  std::vector<std::int64_t> element_bytes_;  // the same
  std::shared_ptr<const Slowdowns> slowdowns_;
};

// Cuts every (model, batch) of the scenario at its granularity.
struct CutSegments {
  Cut cut;
  std::vector<Segment> segments;  // ids and `cut` still counted from 0
};
CutSegments CutModel(const Scenario& scenario, ModelId model, std::int64_t batch, Granularity granularity);
// The same as a plan says, edges too; layers that cost nothing may be left out, they go with what they read.
// Throws InputError (without place) where the pieces do not make up the model.
CutSegments CutAsPlanned(const Scenario& scenario, const ModelPieces& cut);

// The models that a unit with a limit holds when no one else chooses (residency.cc).
std::vector<ModelId> DefaultResidents(const Problem& problem, UnitId unit,
                                      const std::vector<ModelId>& candidates);

// Units whose residents are open hold, of the models that each is to run, those that it could not load, then
// the others, as many as it may hold together.
void HoldBoundModels(Problem& problem, const std::vector<std::vector<ModelId>>& models_of_unit);

}  // namespace tandem
