// Batches that form: requests of one stream that wait, or of several of one model, are begun together, by a
// unit that has times for so many inferences at once.
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
// profile has: between two sizes that were measured, of which the upper one may be more than the stream's
// most, the straight line, rounded up.
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
  void Released(const Task& task);
  // It is dropped. Was it given out?
  bool Dropped(const Task& task);
  // When the next ones have waited long enough, or may be enough; kNever: none wait.
  Nanos NextDate() const { return on() ? Earliest() : kNever; }
  // Those that have, or are, by now, in order: a policy may hand them out.
  std::vector<Task> Due(Nanos now);

  // A unit has taken the first of a batch. Returns how many more it may take along.
  std::int64_t Begin(const Task& first, UnitId unit);
  // Of those that may go along with the first the one that does next: of the more urgent streams the one that
  // waits longest; false: none waits. `due`: it was given out.
  bool Next(const Task& first, Task& task, bool& due) const;
  // That one goes along.
  void Join(const Task& first, const Task& next);

  // Has the unit a time for so many of the task's stream at once?
  bool Runs(const Task& task, UnitId unit, std::int64_t size) const {
    return size < static_cast<std::int64_t>(Of(task.stream).time[unit.index()].plain.size());
  }
  // What so many take in all, where one takes `work`, dispatch included. `mapped`: reading through a mapping.
  Nanos Work(const Task& task, UnitId unit, std::int64_t size, bool mapped, Nanos work) const;
  // Who went along with the first.
  const std::vector<Task>& With(const Task& first) const;
  // The same, which have ended with it.
  std::vector<Task> Ended(const Task& first);

 private:
  // What waits of one stream.
  struct Line {
    StreamId stream;
    std::int64_t priority = 0;
    std::deque<Task> waiting = {};  // not begun, in order of release
    std::deque<Nanos> since = {};   // from when each one's wait counts: the same order
    std::size_t due = 0;            // so many of the first may be begun
    std::size_t given = 0;          // so many of these were given out; all, but for who has just moved up

    std::size_t open() const { return waiting.size() - due; }
    std::size_t Find(const Task& task) const;
    void Take(std::size_t at);
  };
  // Streams whose requests go together.
  struct Forming {
    Batching rule;
    std::vector<BatchTimes> time;  // per unit
    std::vector<Line> lines;
    std::int64_t waiting = 0;  // in all lines
    bool has_grown = false;    // since it was last seen whether sizes are full
    Nanos last_release{0};
  };
  Forming& Of(StreamId stream) { return forming_[static_cast<std::size_t>(position_[stream.index()])]; }
  const Forming& Of(StreamId stream) const {
    return forming_[static_cast<std::size_t>(position_[stream.index()])];
  }
  Line& LineOf(StreamId stream) { return Of(stream).lines[line_[stream.index()]]; }
  void CheckRunsTogether(StreamId stream) const;
  Forming* OthersOf(const Stream& stream);
  [[gnu::noinline]] Nanos Earliest() const;
  static Nanos DueDate(const Forming& of);
  static std::int64_t InFull(const Forming& of);
  static void LetGo(Forming& of, Nanos now);
  // Who goes next of all that wait, or of those behind so many of each line.
  static const Line* NextLine(const Forming& of, std::size_t Line::*behind = nullptr);
  static std::pair<StreamId, std::int32_t> KeyOf(const Task& task) { return {task.stream, task.index}; }

  const Problem* problem_;
  std::vector<std::int32_t> position_;  // per stream; -1: its requests run one by one
  std::vector<std::size_t> line_;       // per stream, of those that it forms batches with
  std::vector<Forming> forming_;
  bool on_ = false;  // are there any?
  std::map<std::pair<StreamId, std::int32_t>, std::vector<Task>> with_;
};

}  // namespace tandem
