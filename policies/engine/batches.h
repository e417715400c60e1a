// Batches that form: requests of one stream that wait are begun together, by a unit that has times for so
// many inferences at once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policies/problem/problem.h"
#include "policies/problem/task.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

// Of 0, 1, ... inferences of a stream's model at once, up to the stream's most or the largest size that a
// profile has: between two sizes that were measured the straight line, rounded up.
struct BatchTimes {
  std::vector<Nanos> plain, mapped;  // mapped: an input is read through a mapping
};
BatchTimes TimesOfBatches(const Scenario& scenario, const Stream& stream, UnitId unit);

// Where a run had batches of sizes whose times lie between two that a profile has: a sentence for each stream
// and unit, with all such sizes and those on either side.
std::vector<std::string> BatchesBetween(const Scenario& scenario, const Outcome& outcome);

class Batches {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  // Throws InputError where a stream's requests cannot be run together.
  explicit Batches(const Problem& problem);

  bool on() const { return on_; }
  bool Forms(StreamId stream) const { return on() && position_[stream.index()] >= 0; }

  // A request of such a stream came: it waits for company.
  void Released(const Task& task) { Of(task.stream).waiting.push_back(task); }
  // When the next ones have waited long enough, or are enough; kNever: none wait.
  Nanos NextDate() const { return on() ? Earliest() : kNever; }
  // Those that have by now, in order: a policy may hand them out.
  std::vector<Task> Due(Nanos now);

  // A unit has taken the first of a batch. Returns how many more of its stream it may take along.
  std::int64_t Begin(const Task& first, UnitId unit);
  // The request that waits longest; false: none does. `due`: it was given out.
  bool Next(StreamId stream, Task& task, bool& due) const;
  // That one goes along.
  void Join(const Task& first);

  // Has the unit a time for so many of the task's stream at once?
  bool Runs(const Task& task, UnitId unit, std::int64_t size) const {
    return size < static_cast<std::int64_t>(streams_[static_cast<std::size_t>(position_[task.stream.index()])]
                                                .time[unit.index()]
                                                .plain.size());
  }
  // What so many take in all, where one takes `work`, dispatch included. `mapped`: reading through a mapping.
  Nanos Work(const Task& task, UnitId unit, std::int64_t size, bool mapped, Nanos work) const;
  // Who went along with the first.
  const std::vector<Task>& With(const Task& first) const;
  // The same, which have ended with it.
  std::vector<Task> Ended(const Task& first);

 private:
  struct Forming {
    StreamId stream;
    Batching rule;
    std::vector<BatchTimes> time;  // per unit
    std::deque<Task> waiting;      // not begun, in order of release
    std::size_t due = 0;           // so many of the first were given out
  };
  Forming& Of(StreamId stream) { return streams_[static_cast<std::size_t>(position_[stream.index()])]; }
  const Forming& Of(StreamId stream) const {
    return streams_[static_cast<std::size_t>(position_[stream.index()])];
  }
  [[gnu::noinline]] Nanos Earliest() const;
  static Nanos DueDate(const Forming& of);
  static std::pair<StreamId, std::int32_t> KeyOf(const Task& task) { return {task.stream, task.index}; }

  const Problem* problem_;
  std::vector<std::int32_t> position_;  // per stream; -1: its requests run one by one
  std::vector<Forming> streams_;
  bool on_ = false;  // are there any?
  std::map<std::pair<StreamId, std::int32_t>, std::vector<Task>> with_;
};

}  // namespace tandem
