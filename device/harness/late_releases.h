// Counts the requests that the policy came to know of later than it should have: open arrivals are released
// by their schedule, but the clock goes on while others dispatch, and who waits for a date can be late. While
// no unit that could run them is idle nobody is late.
#pragma once

#include <functional>
#include <set>
#include <utility>

#include "policies/engine/exclusion.h"
#include "policies/engine/policy.h"

namespace tandem {

class LateReleases final : public Policy {
 public:
  static constexpr Nanos kLate{1'000'000};

  // Hands on to `policy`; both outlive it. `idle`: had the unit an idle slot when the instant came?
  LateReleases(const Problem& problem, Policy& policy, std::function<bool(UnitId)> idle)
      : problem_(&problem),
        policy_(&policy),
        idle_(std::move(idle)),
        excluded_(ExcludedUnits(problem.platform())) {}

  void Ready(const Task& task, const Board& board) override {
    if (task.segment == problem_->cut(task.stream).sources[0]) {
      const bool again = aside_.erase({task.stream, task.index}) > 0;  // it waited for room in memory
      if (!again && board.now - task.release > kLate && SomebodyWasIdle(task)) ++late_;
    }
    policy_->Ready(task, board);
  }
  bool Take(UnitId unit, const Board& board, Task& task) override { return policy_->Take(unit, board, task); }
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    return policy_->Ended(task, unit, board);
  }
  bool Learns() const override { return policy_->Learns(); }
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
  bool SomebodyWasIdle(const Task& task) const {
    for (std::size_t u = 0; u < problem_->units(); ++u) {
      if (!problem_->Runs(task.segment, UnitId(u)) || !idle_(UnitId(u))) continue;
      if (std::all_of(excluded_[u].begin(), excluded_[u].end(), idle_)) return true;
    }
    return false;
  }

  const Problem* problem_;
  Policy* policy_;
  std::function<bool(UnitId)> idle_;
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::int64_t late_ = 0;
  std::set<std::pair<StreamId, std::int32_t>> aside_;  // requests
};

}  // namespace tandem
