// Counts the requests that the policy came to know of later than it should have: open arrivals are released
// by their schedule, but the clock goes on while others dispatch, and a timer can be late.
#pragma once

#include <set>
#include <utility>

#include "policies/engine/policy.h"

namespace tandem {

class LateReleases final : public Policy {
 public:
  static constexpr Nanos kLate{1'000'000};

  // Hands on to `policy`; both outlive it.
  LateReleases(const Problem& problem, Policy& policy) : problem_(&problem), policy_(&policy) {}

  void Ready(const Task& task, const Board& board) override {
    if (task.segment == problem_->cut(task.stream).sources[0]) {
      const bool again = aside_.erase({task.stream, task.index}) > 0;  // it waited for room in memory
      if (!again && board.now - task.release > kLate) ++late_;
    }
    policy_->Ready(task, board);
  }
  bool Take(UnitId unit, const Board& board, Task& task) override { return policy_->Take(unit, board, task); }
  void Drop(const Task& task) override {
    aside_.erase({task.stream, task.index});
    policy_->Drop(task);
  }
  void SetAside(const Task& task) override {
    if (task.segment == problem_->cut(task.stream).sources[0]) aside_.emplace(task.stream, task.index);
    policy_->SetAside(task);
  }
  const Decisions* decisions() const override { return policy_->decisions(); }

  std::int64_t late() const { return late_; }

 private:
  const Problem* problem_;
  Policy* policy_;
  std::int64_t late_ = 0;
  std::set<std::pair<StreamId, std::int32_t>> aside_;  // requests
};

}  // namespace tandem
