// Policies that plan what is released before any of it runs. All requests released at an instant are placed
// together among what was placed before, never before that instant; each unit then takes its tasks in the
// planned order and waits for the next one while that is certain to come. A request that may still be dropped
// is not waited for until one of its tasks has been taken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/placing/board_plan.h"

namespace tandem {

class PlanAheadPolicy final : public Policy {
 public:
  using MakeRule = std::function<PlacingRule(const PlacingGraph&)>;
  // Says of requests that are to be placed together which tasks have to go where.
  using BindJobs = std::function<void(std::vector<PlacingJob>&)>;

  // `problem` outlives it.
  PlanAheadPolicy(const Problem& problem, MakeRule make_rule, BindJobs bind = nullptr);

  void Ready(const Task& task, const Board& board) override;
  bool Take(UnitId unit, const Board& board, Task& task) override;
  void Drop(const Task& task) override;
  void SetAside(const Task& task) override;

  // Its rule apart from the problem, for any graph.
  PlacingRule RuleFor(const PlacingGraph& graph) const { return make_rule_(graph); }
  void Bind(std::vector<PlacingJob>& jobs) const {
    if (bind_) bind_(jobs);
  }
  // What was planned for the task that was handed out last.
  const BookedTask& taken() const { return taken_; }

 private:
  struct Key {  // the order of a unit: a task comes after all that its inputs hang on, whichever unit has
                // them
    Nanos start{0};
    std::int64_t sequence = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Request {
    Task any;  // one of its tasks
    std::vector<BookedTask> tasks;
    std::vector<char> stage;  // per task, a Stage
    std::int32_t left = 0;    // tasks that were not handed out
    bool certain = false;     // it will not be dropped
  };
  enum Stage : char { kToCome, kReady, kTaken };
  struct Line {
    std::map<Key, Task> ready;
    std::set<Key> awaited;  // certain to come
    Nanos busy_until{0};    // by what was handed out, as planned
  };

  static std::uint64_t KeyOf(const Task& task) {
    return (static_cast<std::uint64_t>(task.stream.value) << 32U) | static_cast<std::uint32_t>(task.index);
  }
  static Key KeyOf(const BookedTask& task) { return {task.start, task.sequence}; }
  std::size_t PlaceOf(const Task& task) const;
  Line& LineOf(const BookedTask& task) { return lines_[task.unit.index()]; }
  void MakeReady(Request& request, const Task& task);
  void MakeCertain(Request& request);
  BoardPlan::Asked AskedFor(const Task& task, const Board& board) const;
  void PlacePending(const Board& board);
  void CheckRoom(std::size_t more) const;
  std::vector<Nanos> LateBy(const Board& board) const;
  void Add(const Task& task, const std::vector<BookedTask>& tasks);

  const Problem* problem_;
  MakeRule make_rule_;
  BindJobs bind_;
  BoardPlan plan_;
  std::vector<PlacingRule> rules_;  // per graph
  std::vector<Task> pending_;       // released and not yet placed
  Nanos released_{0};               // when
  std::unordered_map<std::uint64_t, Request> requests_;
  std::unordered_set<std::uint64_t> loose_;  // requests that were set aside before they were placed
  std::vector<Line> lines_;                  // per unit
  std::size_t planned_ = 0;                  // tasks in `requests_`
  BookedTask taken_;
  Task taken_task_;
  Request taken_last_;  // whose last task was handed out: it may be set aside
};

}  // namespace tandem
