// How a scenario's models are cut into tasks, and how tensors come to those that read them: by granularity,
// or as a plan chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/problem/copy_routes.h"
#include "profiles/base/ids.h"
#include "profiles/model/layer_parts.h"
#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

using SegmentId = Id<struct SegmentTag>;
using CutId = Id<struct CutTag>;

inline constexpr std::int64_t kFp32Bytes =
    4;  // an element of a model's inputs, and of its weights as counted

// What one segment makes and others read, or a model's input (made by none).
struct CutTensor {
  SegmentId producer;                // invalid: an input of the model, which starts in the first memory
  std::int64_t elements = 0;         // of the whole batch
  std::vector<SegmentId> consumers;  // ascending, none twice
  bool leaves = false;               // an output of the model, which ends in the first memory
  LayerId layer = {};                // whose output it is, or a part of it
  TransferMode back = TransferMode::kCopy;  // how it comes back where it leaves
  // An input that surely begins, or an output that surely ends, in the first memory, whichever stream of the
  // cut it is of: none of these hands it on.
  bool by_first = true;
  std::optional<std::int64_t> element_bytes = {};  // where the model says it

  // Made by a unit with elements so wide.
  std::int64_t Bytes(std::int64_t of_maker) const { return elements * element_bytes.value_or(of_maker); }
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

struct CutSegments;

class Cuts {
 public:
  // Throws InputError where the plan does not fit the scenario. `scenario` outlives the cuts.
  Cuts(const Scenario& scenario, Granularity granularity, std::shared_ptr<const CutPlan> plan);

  const Scenario& scenario() const { return *scenario_; }
  const Platform& platform() const { return *scenario_->platform; }
  std::size_t units() const { return units_; }
  MemoryId MemoryOf(UnitId unit) const { return platform().unit(unit).memory; }
  const CopyRoutes& routes() const { return *routes_; }
  Granularity granularity() const { return granularity_; }
  // What is cut otherwise; null: nothing.
  const std::shared_ptr<const CutPlan>& cut_plan() const { return plan_; }

  const std::vector<Cut>& cuts() const { return cuts_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const Cut& cut(CutId id) const { return cuts_[id.index()]; }
  const Segment& segment(SegmentId id) const { return segments_[id.index()]; }
  CutId cut_of(StreamId stream) const { return cut_of_stream_[stream.index()]; }
  const Cut& cut(StreamId stream) const { return cuts_[cut_of(stream).index()]; }
  ModelId model_of(SegmentId id) const { return cut(segment(id).cut).model; }
  std::string NameOf(SegmentId id) const;  // for messages: layer "conv1" of model "alexnet"

  // Does a tensor that it reads, or makes for others, come by a copy where it does not lie there?
  bool Copies(SegmentId segment) const { return Moves(segment, TransferMode::kCopy); }
  // Or through a zero-copy mapping?
  bool Maps(SegmentId segment) const { return Moves(segment, TransferMode::kZeroCopy); }
  // A model's input lies in the first memory uncounted.
  static bool Occupies(const CutTensor& tensor, MemoryId memory) {
    return tensor.producer.valid() || memory != MemoryId(0);
  }

 private:
  bool Moves(SegmentId segment, TransferMode mode) const;
  void CheckPlan() const;
  void CheckEdge(const EdgeMode& edge) const;
  CutSegments CutOf(ModelId model, std::int64_t batch) const;
  void SetModes(ModelId model, std::int64_t batch, CutSegments& made) const;
  void CutStreams();

  const Scenario* scenario_;
  std::size_t units_;
  std::shared_ptr<const CopyRoutes> routes_;
  Granularity granularity_;
  std::shared_ptr<const CutPlan> plan_;
  std::vector<Cut> cuts_;
  std::vector<Segment> segments_;
  std::vector<CutId> cut_of_stream_;
};

}  // namespace tandem
