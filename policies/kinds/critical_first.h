// Keeps units from the tasks of other streams while one of a critical stream waits that they could run, or
// that a unit could run which shares cores or a device with them: so a critical task waits for no more than
// what has begun before it. The policy decides about critical streams as if there were no others, and about
// the others apart.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "policies/engine/policy.h"

namespace tandem {

class CriticalFirst final : public Policy {
 public:
  // Two of one policy, made for the same problem.
  CriticalFirst(Prepared critical, Prepared others);

  void Ready(const Task& task, const Board& board) override;
  bool Take(UnitId unit, const Board& board, Task& task) override;
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    return Of(task.stream).Ended(task, unit, board);
  }
  bool Learns() const override { return critical_.policy->Learns(); }
  bool LeavesAlone() const override { return critical_.policy->LeavesAlone(); }
  void Drop(const Task& task) override;
  void SetAside(const Task& task) override { Of(task.stream).SetAside(task); }
  const Decisions* decisions() const override { return critical_.policy->decisions(); }

  // Who decides about the stream.
  Policy& Of(StreamId stream) const { return IsCritical(stream) ? *critical_.policy : *others_.policy; }

 private:
  using Key = std::tuple<StreamId, std::int32_t, SegmentId>;

  bool IsCritical(StreamId stream) const {
    return critical_.problem->scenario().streams[stream.index()].critical;
  }
  void NoLongerWaits(const Task& task);
  void Count(SegmentId segment, std::int64_t by);

  Prepared critical_, others_;
  std::set<Key> waiting_;                   // critical tasks
  std::vector<std::vector<UnitId>> keeps_;  // per segment: from other tasks, while it is critical and waits
  std::vector<std::int64_t> kept_;          // per unit: for so many tasks
};

}  // namespace tandem
