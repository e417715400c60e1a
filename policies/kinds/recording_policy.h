// Notes which unit takes which task, in order, while another policy decides.
#pragma once

#include <vector>

#include "policies/engine/policy.h"

namespace tandem {

struct Decision {
  StreamId stream;
  std::int32_t index = 0;
  SegmentId segment;
  UnitId unit;
};

class RecordingPolicy final : public Policy {
 public:
  // Both outlive it. Beyond `most` tasks nothing is kept.
  RecordingPolicy(Policy& decides, std::size_t most) : decides_(&decides), most_(most) {}

  void Ready(const Task& task, const Board& board) override { decides_->Ready(task, board); }
  bool Take(UnitId unit, const Board& board, Task& task) override;
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    return decides_->Ended(task, unit, board);
  }
  bool Learns() const override { return decides_->Learns(); }
  bool LeavesAlone() const override { return decides_->LeavesAlone(); }
  void Drop(const Task& task) override { decides_->Drop(task); }
  void SetAside(const Task& task) override;

  // Empty where there were more than `most`.
  std::vector<Decision> TakeAll() { return std::move(taken_); }

 private:
  Policy* decides_;
  std::size_t most_;
  bool overflown_ = false;
  std::vector<Decision> taken_;
};

// The same as a schedule: neighbours that a run can hold together are one.
FixedSchedule ScheduleOf(const std::vector<Decision>& taken, const Problem& problem);

}  // namespace tandem
