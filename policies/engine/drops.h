// Which requests are to be dropped, none of whose tasks has started: those of streams with drop_late when
// their deadline passes, and those of streams with keep_latest when as many newer ones wait.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "policies/engine/winner_tree.h"
#include "policies/problem/task.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

class Drops {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  // `scenario` outlives it.
  explicit Drops(const Scenario& scenario);

  bool on() const { return !watched_.empty(); }
  bool Watches(StreamId stream) const { return position_[stream.index()] >= 0; }
  // Of watched streams alone: a request was released (`task` is any of its tasks), which hangs on one that
  // was released at `root`; its first task started.
  void Released(const Task& task, Nanos root);
  void Started(StreamId stream, std::int32_t index);
  // When the next request is to be dropped; kNever where none waits.
  Nanos NextDate() const { return next_date_; }
  // Takes a request that is to be dropped, in order of the date when that came about, then stream; false
  // where there is none.
  bool Take(Nanos now, Task& task) { return next_date_ <= now && TakeOne(task); }

 private:
  struct Late {
    Nanos date;
    Task task;
    friend bool operator>(const Late& a, const Late& b) {
      return a.date != b.date ? a.date > b.date : a.task.index > b.task.index;
    }
  };
  struct Watched {
    const Stream* stream;
    std::int64_t most;              // of keep_latest
    std::deque<Task> waiting = {};  // in order of release
    std::vector<bool> gone = {};    // per index: started or dropped
    std::int64_t unstarted = 0;     // of those that wait
    // The same by deadline, where that counts from another request's release and so has an order of its own.
    std::priority_queue<Late, std::vector<Late>, std::greater<>> late = {};
    bool OwnOrder() const { return stream->drop_late && stream->end_to_end_deadline; }
  };
  bool TakeOne(Task& task);
  static Nanos LateDate(const Watched& watched);
  static Nanos FullDate(const Watched& watched);
  void Gone(std::size_t position, std::int32_t index);
  void Update(std::size_t position);

  std::vector<std::int32_t> position_;  // per stream; -1: not watched
  std::vector<Watched> watched_;
  WinnerTree order_;
  Nanos next_date_ = kNever;
};

}  // namespace tandem
