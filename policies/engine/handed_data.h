// What requests of one stream hand on to those of others that follow them (`depends_on` with `data`): it is
// read from where it was made.
#pragma once

#include <vector>

#include "policies/engine/live_requests.h"
#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

class HandedData {
 public:
  // `problem` outlives it. Not `any`: nothing is handed on, all comes by the first memory.
  HandedData(const Problem& problem, bool any);

  bool on() const { return on_; }
  // Does the stream read what the request has made that it follows?
  bool Reads(StreamId stream) const { return on_ && from_[stream.index()].valid(); }
  // Is what the task makes left where it is made, and not brought back to the first memory?
  bool Stays(const Task& task) const { return on_ && stays_[task.stream.index()] != 0 && IsLast(task); }

  // Where the inputs of a request that reads so lie, once it has been released.
  UnitId MakerFor(const Task& task) const {
    return maker_[from_[task.stream.index()].index()][static_cast<std::size_t>(task.index)];
  }
  bool InFirst(const Task& task) const { return stays_[from_[task.stream.index()].index()] == 0; }

  // The task has ended on the unit.
  void Made(const Task& task, UnitId unit);
  // A request of a stream that reads so has begun: where its inputs lie, and who has made them.
  void Place(const Task& task, LiveRequests& live) const;

 private:
  // The last one in topological order: what is handed on is where this made it.
  bool IsLast(const Task& task) const;

  const Problem* problem_;
  bool on_ = false;
  std::vector<StreamId> from_;              // per stream; invalid: it reads from the first memory
  std::vector<char> hands_on_, stays_;      // per stream
  std::vector<std::vector<UnitId>> maker_;  // per stream that hands on, by index
};

}  // namespace tandem
