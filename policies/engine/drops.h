// Which requests are to be dropped, none of whose tasks has started: those of streams with drop_late when
// their deadline passes, and those of streams with keep_latest when as many newer ones wait.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "policies/engine/winner_tree.h"
#include "policies/problem/task.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

class Drops {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  explicit Drops(const Scenario& scenario);

  bool Watches(StreamId stream) const { return position_[stream.index()] >= 0; }
  // Of watched streams alone: a request was released (`task` is any of its tasks); its first task started.
  void Released(const Task& task);
  void Started(StreamId stream, std::int32_t index);
  // When the next request is to be dropped; kNever where none waits.
  Nanos NextDate() const { return next_date_; }
  // Takes a request that is to be dropped, in order of the date when that came about, then stream; false
  // where there is none.
  bool Take(Nanos now, Task& task) { return next_date_ <= now && TakeOne(task); }

 private:
  struct Watched {
    std::optional<Nanos> deadline;   // of drop_late
    std::int64_t most = INT64_MAX;   // of keep_latest
    std::deque<Task> waiting = {};   // in order of release
    std::vector<bool> started = {};  // per index
    std::int64_t unstarted = 0;      // of those that wait
  };
  bool TakeOne(Task& task);
  Nanos Due(const Watched& watched) const;
  bool HasStarted(const Watched& watched, std::int32_t index) const;
  void SkipStarted(std::size_t position);
  void Update(std::size_t position);

  std::vector<std::int32_t> position_;  // per stream; -1: not watched
  std::vector<Watched> watched_;
  WinnerTree order_;
  Nanos next_date_ = kNever;
};

}  // namespace tandem
