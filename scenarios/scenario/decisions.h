// What a policy has decided before a run begins: a rule, or who runs what in which order. A search finds it,
// a plan file keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/time.h"
#include "profiles/model/layer_parts.h"
#include "scenarios/scenario/policy_spec.h"
#include "scenarios/scenario/search_story.h"
#include "scenarios/scenario/transfer_mode.h"

namespace tandem {

// Requests first .. first + count - 1 of the stream, of each the segments segment .. segment + segments - 1,
// request by request. A segment counts from 0 within the stream's cut.
struct ScheduledRun {
  static constexpr std::int32_t kAllSegments = 0;

  StreamId stream;
  std::int32_t segment = 0;
  std::int32_t segments = kAllSegments;  // from `segment` on
  std::int64_t first = 0;
  std::int64_t count = 1;
  friend bool operator==(const ScheduledRun&, const ScheduledRun&) = default;
};

// Per unit what it runs, in this order.
struct FixedSchedule {
  std::vector<std::vector<ScheduledRun>> units;
  // A unit whose next task is not ready takes the first of its order that is, where that ends no later than
  // this after the other can be expected; nothing: it waits.
  std::optional<Nanos> slack = {};
};

// One task of a model that a plan cuts itself: layers in ascending order, without those of op input; perhaps
// only a part of what they make.
struct CutPiece {
  std::vector<LayerId> layers;
  std::optional<LayerPart> part;
  friend bool operator==(const CutPiece&, const CutPiece&) = default;
};

// How the requests of one model and batch are cut. Pieces with the same layers are the parts of one split.
struct ModelPieces {
  ModelId model;
  std::int64_t batch = 1;
  std::vector<CutPiece> pieces;
  friend bool operator==(const ModelPieces&, const ModelPieces&) = default;
};

// How the output of `from` comes to the layer `to` where they do not run in one memory; an invalid `to`: how
// it comes back to the first memory as an output of the model.
struct EdgeMode {
  ModelId model;
  std::int64_t batch = 1;
  LayerId from, to;
  TransferMode mode = TransferMode::kCopy;
  friend bool operator==(const EdgeMode&, const EdgeMode&) = default;
};

// What a plan chooses otherwise than its granularity and its scenario's transfer mode say; other models and
// edges stay with these.
struct CutPlan {
  std::vector<ModelPieces> cuts;
  std::vector<EdgeMode> edges;
  bool empty() const { return cuts.empty() && edges.empty(); }
  friend bool operator==(const CutPlan&, const CutPlan&) = default;
};

struct Decisions {
  Granularity granularity = Granularity::kModel;
  std::shared_ptr<const CutPlan> cuts;  // null: by the granularity alone
  // Per unit what it holds at the start, where that is the policy's choice; nothing: it is not.
  std::vector<std::optional<std::vector<ModelId>>> residents;
  std::shared_ptr<const PolicySpec> rule;          // null: the schedule
  std::shared_ptr<const FixedSchedule> schedule;   // null: the rule
  std::shared_ptr<const SearchStory> search = {};  // null: nobody searched
};

}  // namespace tandem
