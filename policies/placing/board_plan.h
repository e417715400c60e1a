// What is planned for a board's slots: for every task a unit and a time, as docs/semantics.md has it. The
// plan comes true to the nanosecond where nothing slows down or holds up what is not planned here:
// contention, load from outside, copy engines, full memories, units that share cores, loads on units of
// several slots.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/placing/place_jobs.h"
#include "policies/placing/timeline.h"
#include "policies/problem/task_costs.h"

namespace tandem {

struct BookedTask {
  UnitId unit;
  std::int32_t slot = 0;
  Nanos start{0}, end{0};
  std::int64_t sequence = 0;  // how many were planned before it
};

class BoardPlan final : public PlacingTarget {
 public:
  explicit BoardPlan(const Problem& problem);  // `problem` outlives it
  BoardPlan(const BoardPlan&) = delete;        // its graphs refer to it
  BoardPlan& operator=(const BoardPlan&) = delete;

  // The graphs of cuts, one more where streams hand on what they read or make; each task i is the cut's
  // segment first + i. They live as long as the plan.
  const std::vector<PlacingGraph>& graphs() const { return graphs_; }
  std::size_t GraphOf(StreamId stream) const { return graph_of_[stream.index()]; }

  // A request: where it finds its inputs, and whether what its last task makes stays where it is made.
  struct Asked {
    StreamId stream;
    InputsAt inputs = {};
    bool stays = false;
  };
  // Begins a round. Nothing is planned before `now`. By `late` per unit, what it does is behind the plan;
  // that counts where units are compared.
  void Begin(Nanos now, const std::vector<Asked>& jobs, std::vector<Nanos> late);
  Nanos EndOn(std::size_t job, std::size_t task, UnitId unit) override;
  void Put(std::size_t job, std::size_t task, UnitId unit) override;
  // Of the round, per task.
  const std::vector<BookedTask>& Planned(std::size_t job) const { return jobs_[job].planned; }

  // It will not run after all.
  void Remove(const BookedTask& task);

 private:
  struct Job {
    CutId cut;
    std::size_t graph = 0;
    SegmentId stays;                  // what this makes is not brought back; invalid: all is
    std::vector<Nanos> ready;         // per task: the latest end of what feeds it
    std::vector<BookedTask> planned;  // per task
    // Per tensor and memory: when it is there; kNever: nobody has brought it.
    std::vector<Nanos> there;
    std::vector<std::int8_t> element_bytes;  // per tensor
    std::vector<UnitId> maker;               // per tensor; invalid: nobody on the board, or not made yet
  };
  struct Fit {
    std::int32_t slot = 0;
    Nanos start{0}, end{0};
  };

  PlacingGraph MakeGraph(const Cut& cut, bool handed, bool stays) const;
  SegmentId SegmentOf(const Job& job, std::size_t task) const;
  Nanos& There(Job& job, std::int32_t tensor, MemoryId memory) const;
  Nanos There(const Job& job, std::int32_t tensor, MemoryId memory) const;
  Fit FindFit(const Job& job, std::size_t task, UnitId unit) const;
  Nanos ReadyOn(const Job& job, std::size_t task, UnitId unit) const;
  Nanos Length(const Job& job, SegmentId segment, UnitId unit, Nanos start) const;
  Nanos BringIn(const Job& job, std::int32_t tensor, MemoryId to, Nanos start) const;
  Nanos HandedOver(const Job& job, SegmentId reader, std::int32_t tensor, UnitId unit) const;
  Nanos FreeFrom(UnitId unit, const Timeline& slot, Nanos from, Nanos length) const;
  void NoteTensors(Job& job, SegmentId segment, UnitId unit, const Fit& fit);

  TaskCosts costs_;
  HeldModels held_;
  std::size_t memories_;
  std::vector<PlacingGraph> graphs_;
  std::vector<std::size_t> graph_of_;          // per stream
  std::vector<std::vector<Timeline>> slots_;   // per unit
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<Job> jobs_;
  Nanos now_{0};
  std::vector<Nanos> late_;  // per unit
  std::int64_t sequence_ = 0;
};

}  // namespace tandem
