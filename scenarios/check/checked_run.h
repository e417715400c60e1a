// A traced run in the scenario's own terms, for the rules of trace_check.h: names resolved, spans put
// together to tasks and tasks to requests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scenarios/check/findings.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/read.h"

namespace tandem {

struct CheckedSegment {
  ModelId model;
  std::vector<LayerId> layers;  // ascending; empty: the whole model
  std::optional<LayerPart> part;
};

// How what `from` makes comes to tasks that have `to`; an invalid `to`: back to the first memory.
struct CheckedEdge {
  ModelId model;
  std::int64_t batch = 1;
  LayerId from, to;
  TransferMode mode = TransferMode::kCopy;
};

// One segment in one batch size.
struct CheckedWork {
  std::int32_t segment = 0;
  std::int64_t batch = 1;
  std::vector<Nanos> time;    // per unit, profiled; negative: it cannot run there
  std::vector<Nanos> mapped;  // the same, reading through a mapping
  bool copies = false;        // something that it reads or makes is to be copied where it is not
};

struct CheckedTask {
  std::int32_t request = 0, segment = 0, work = 0, track = 0;
  std::int32_t place = 0;  // among the tasks of its request, in topological order
  UnitId unit;
  Nanos release{0}, ready{0};
  Nanos begun{0};                             // when it first had one: `taken`, where it was not lost
  Nanos taken{0};                             // when it got its slot; where that is not told, or it had
                                              // nothing to wait for there: `start`
  Nanos start{0}, end{0};                     // of all that it does on its slot
  Nanos after_load{0};                        // when what is not a load begins
  Nanos work_start{0}, work_end{0};           // of its computing
  std::size_t first_span = 0, last_span = 0;  // in CheckedRun::order
  std::int64_t batch = 1;                     // requests that it ran at once
  std::int32_t alone = 0;  // its work if it were one: the same for all tasks of one segment
  bool loads = false;
  bool told = false;     // the trace tells when it got its slot
  bool held_up = false;  // may have held its slot for longer than it shows: for copies by others, for room

  // May it have had its slot before `taken`?
  bool unclear() const { return !told && (held_up || loads); }
};

struct CheckedRequest {
  StreamId stream;
  std::int64_t index = 0;
  Nanos release{0};
  std::size_t first_task = 0, last_task = 0;
  Nanos end{0};  // of the last that was done for it, or when it was dropped
  bool dropped = false;
  std::optional<std::int64_t> with = {};  // the index of the one that it ran at once with; it has no tasks
  StreamId with_stream = {};              // that one's
  bool done = false;                      // all of the model has run, outputs are back

  bool HasTasks() const { return !dropped && !with; }
};

class CheckedRun {
 public:
  // What does not fit the scenario is a finding, and usable() then false: most rules make no sense.
  CheckedRun(const Scenario& scenario, const TracedRun& run, Findings& findings);

  const Scenario& scenario() const { return *scenario_; }
  const Platform& platform() const { return *scenario_->platform; }
  const TracedRun& run() const { return *run_; }
  bool usable() const { return usable_; }
  bool simulated() const { return !run_->measured; }
  // Does nothing slow anything down?
  bool exact() const { return exact_; }
  bool FormsBatches() const;
  // Of how many inferences of the stream's model at once the unit has a time, up to the stream's most.
  std::int64_t LargestBatch(StreamId stream, UnitId unit) const;

  const TracedSpan& span(std::size_t position) const {
    return run_->spans[static_cast<std::size_t>(order[position])];
  }
  const Stream& stream(StreamId id) const { return scenario_->streams[id.index()]; }
  const Stream& stream(const CheckedTask& task) const {
    return stream(requests[static_cast<std::size_t>(task.request)].stream);
  }
  const CheckedSegment& segment(const CheckedTask& task) const {
    return segments[static_cast<std::size_t>(task.segment)];
  }
  const CheckedWork& work(const CheckedTask& task) const {
    return works[static_cast<std::size_t>(task.work)];
  }
  const Model& model(ModelId id) const { return *scenario_->model(id).model; }
  MemoryId memory_of(UnitId unit) const { return platform().unit(unit).memory; }
  std::string Name(const CheckedRequest& request) const;
  std::string Name(const CheckedTask& task) const {
    return Name(requests[static_cast<std::size_t>(task.request)]);
  }
  std::string Name(const TracedSpan& span) const;

  // How the output of `from` comes to a task with these layers (none: the whole model), and back.
  TransferMode ModeOf(StreamId stream, LayerId from, const std::vector<LayerId>& reader) const;
  TransferMode ModeBack(StreamId stream, LayerId output) const;
  // What a segment makes of the layer's output: "conv1", or "conv1 channels 0-31".
  std::string TensorName(const CheckedSegment& segment, LayerId layer) const;
  // Of one request. The whole output where there is no part.
  std::int64_t Elements(StreamId stream, LayerId layer, const std::optional<LayerPart>& part) const;

  std::vector<StreamId> streams;         // per stream of the trace
  std::vector<UnitId> units;             // per track; invalid: a copy engine
  std::vector<CheckedSegment> segments;  // per segment of the trace
  std::vector<CheckedEdge> edges;        // of the trace
  std::vector<CheckedWork> works;
  std::vector<std::int32_t> order;          // spans by request, segment and start; those of lost ones behind
  std::vector<CheckedTask> tasks;           // the same order
  std::vector<CheckedTask> lost;            // what units that left had begun of them, by when they had it
  std::vector<CheckedRequest> requests;     // by stream and index
  std::vector<char> reached;                // per unit: can inputs be brought to it?
  std::vector<std::vector<char>> holds;     // per unit and model: at the start
  std::vector<std::vector<char>> may_hold;  // the same: then, or once loaded

 private:
  void ResolveTracks(Findings& findings);
  void ResolveNames(Findings& findings);
  void ResolveSegments(Findings& findings);
  void ResolveEdges(Findings& findings);
  void ResolveResidents(Findings& findings);
  std::vector<char> WithLoads(UnitId id, const std::vector<char>& held) const;
  void FindReachedUnits();
  std::vector<std::int32_t> PlacesOf(const std::vector<std::int32_t>& of_request) const;
  void OrderTasks();
  void CollectTasks(Findings& findings);
  void AddTask(std::size_t first_span, std::size_t last_span, Findings& findings);
  CheckedTask TaskWith(const TracedSpan& work, std::size_t first_span, std::size_t last_span);
  void PutLostBehind();
  void CollectLost();
  void AddLost(std::size_t first_span, std::size_t last_span);
  void CollectRequests(Findings& findings);
  std::vector<const TracedSpan*> CopiesOf(const CheckedRequest& request) const;
  void MarkHeldUp(const CheckedRequest& request);
  void BelieveTaking(CheckedTask& task) const;
  std::int32_t WorkOf(std::int32_t segment, StreamId stream, std::int64_t requests);
  bool Copies(const CheckedSegment& segment, StreamId stream) const;
  bool Maps(const CheckedSegment& segment, StreamId stream) const;

  const Scenario* scenario_;
  const TracedRun* run_;
  bool usable_ = true, exact_ = true;
  std::size_t first_lost_ = 0;  // of `order`: from there on spans are of tasks that were lost
  std::map<std::tuple<std::int32_t, std::int64_t, StreamId>, std::int32_t> work_of_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> along_;  // per stream of the trace and index
};

}  // namespace tandem
