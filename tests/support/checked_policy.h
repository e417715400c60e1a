// A policy under supervision: hands on to another and checks that it keeps the contract of Policy.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "policies/engine/policy.h"

namespace tandem {

class CheckedPolicy final : public Policy {
 public:
  CheckedPolicy(const Problem& problem, Policy& policy) : problem_(&problem), policy_(&policy) {}

  void Ready(const Task& task, const Board& board) override {
    const bool again = aside_.erase(KeyOf(task)) > 0;
    EXPECT_TRUE(seen_.insert(KeyOf(task)).second || again) << "a task becomes ready once";
    EXPECT_GE(board.now, task.release);
    EXPECT_TRUE(last_ready_ != board.now || InTaskOrder(last_, task) || settled_ || again) << "in task order";
    last_ready_ = board.now;
    last_ = task;
    settled_ = again;  // what comes behind one that was set aside begins anew
    waiting_.insert(KeyOf(task));
    policy_->Ready(task, board);
  }

  bool Take(UnitId unit, const Board& board, Task& task) override {
    settled_ = true;
    if (!policy_->Take(unit, board, task)) {
      Task second;
      EXPECT_FALSE(policy_->Take(unit, board, second)) << "a no holds while nothing changes";
      return false;
    }
    EXPECT_EQ(waiting_.erase(KeyOf(task)), 1U) << "it hands out what waits, once";
    EXPECT_TRUE(problem_->Runs(task.segment, unit));
    EXPECT_LE(task.release, board.now);
    return true;
  }

  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    return policy_->Ended(task, unit, board);
  }
  bool Learns() const override { return policy_->Learns(); }
  void Drop(const Task& task) override {
    EXPECT_EQ(waiting_.erase(KeyOf(task)) + aside_.erase(KeyOf(task)), 1U) << "what is dropped was waiting";
    ++dropped_;
    settled_ = true;  // what a closed stream releases in its stead comes in an order of its own
    policy_->Drop(task);
  }

  void SetAside(const Task& task) override {
    EXPECT_FALSE(waiting_.contains(KeyOf(task))) << "only what was handed out, or not told of, is set aside";
    EXPECT_TRUE(aside_.insert(KeyOf(task)).second) << "it is set aside once";
    policy_->SetAside(task);
  }

  std::size_t waiting() const { return waiting_.size(); }
  std::int64_t dropped() const { return dropped_; }

 private:
  using Key = std::tuple<StreamId, std::int32_t, SegmentId>;
  static Key KeyOf(const Task& task) { return {task.stream, task.index, task.segment}; }

  const Problem* problem_;
  Policy* policy_;
  std::set<Key> seen_, waiting_, aside_;
  Task last_;
  Nanos last_ready_{-1};
  bool settled_ = true;  // decisions were made since the last task became ready
  std::int64_t dropped_ = 0;
};

}  // namespace tandem
