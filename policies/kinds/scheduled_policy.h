// Executes a fixed schedule: each unit takes the tasks assigned to it in the given order and waits for the
// next one as long as it is certain to come. Tasks of requests that may be dropped, or may not exist, are
// taken in that order as far as they are there. What the schedule does not name goes, when it becomes ready,
// to the unit that would finish it first, which runs it when the schedule has nothing for it. Where requests
// go on beyond those of the schedule it may be repeated: the next so many of a stream take the places of the
// first ones, after all of the round before.
// A schedule may have slack, for times that vary, which counts where no unit has several slots: a unit whose
// next task is not ready takes the first of its order that is, where that ends no later than the slack after
// the other can be expected: when the work before it that is under way, or comes next where it runs, is done.
// What it has once refused it does not take before the one that it waits for.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "policies/engine/policy.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// Per stream how many of its requests, from the first on, are certain to come and not to be dropped.
std::vector<std::int64_t> CertainRequests(const Scenario& scenario);

class ScheduledPolicy final : public Policy {
 public:
  // Throws InputError where the schedule does not fit the problem, which outlives the policy. `certain` as
  // above.
  ScheduledPolicy(const Problem& problem, Decisions decisions, const std::vector<std::int64_t>& certain,
                  bool repeats = false);

  void Ready(const Task& task, const Board& board) override;
  bool Take(UnitId unit, const Board& board, Task& task) override;
  void Drop(const Task& task) override;
  void SetAside(const Task& task) override;
  const Decisions* decisions() const override { return &decisions_; }

 private:
  struct Place {
    UnitId unit;                // invalid: the schedule does not name the task
    std::int64_t position = 0;  // in the unit's order
  };
  struct Piece {  // a run, as one of its segments sees it
    std::int64_t first = 0, count = 0;
    UnitId unit;
    std::int64_t position = 0;  // of the first request's task
    std::int64_t stride = 1;    // from one request's task to the next one's
    friend bool operator<(const Piece& a, const Piece& b) { return a.first < b.first; }
  };
  struct Stretch {  // a run, or a part of it, as its unit sees it
    std::int64_t end = 0;
    bool certain = false;
    StreamId follows;  // whose requests come when others have ended; invalid: they come by the clock
  };
  struct Entry {
    std::int64_t position = 0;
    Task task;
    friend bool operator>(const Entry& a, const Entry& b) { return a.position > b.position; }
  };
  struct PlacedRun {
    std::int64_t begin = 0;  // position of its first task
    ScheduledRun run;
  };
  struct Line {
    std::vector<PlacedRun> runs;       // only with slack
    std::optional<Task> last;          // that it has taken; the same
    std::int64_t refused = INT64_MAX;  // from this position on nothing comes before the next one
    std::vector<Stretch> stretches;
    std::size_t stretch = 0;                 // that `next` is in
    std::int64_t next = 0;                   // the first position that was neither taken nor passed over
    std::vector<Entry> ready;                // a heap, the first position on top
    std::unordered_set<std::int64_t> loose;  // positions that are passed over: their requests wait for room,
                                             // or they came before their turn
    std::deque<Task> unnamed;                // that the schedule does not name
    Nanos unnamed_work{0};
  };

  void AddRun(ScheduledRun run, UnitId unit, std::int64_t certain);
  void AddPieces(const ScheduledRun& run, UnitId unit, std::int64_t position);
  void SortPieces();
  [[noreturn]] void Fail(const std::string& what) const;
  void FindFollowers();
  bool MayPass(const Stretch& stretch) const {
    return !stretch.certain || (stretch.follows.valid() && held_up_[stretch.follows.index()] != 0);
  }
  Place Find(const Task& task) const;
  bool ComesFirst(UnitId unit, const Board& board);
  Task TaskAt(const Line& line, std::int64_t position) const;
  Nanos ExpectedWait(const Task& task, const Board& board) const;
  Nanos ExpectedEnd(const Task& task, const Board& board) const;
  std::size_t LaneOf(StreamId stream, SegmentId segment) const;
  Nanos WorkOf(const Task& task, UnitId unit) const;
  UnitId UnitForUnnamed(const Task& task, const Board& board) const;

  const Problem* problem_;
  Decisions decisions_;
  std::optional<Nanos> slack_;              // nothing where a unit has several slots
  std::vector<std::size_t> first_lane_;     // per stream
  std::vector<std::vector<Piece>> pieces_;  // per stream and segment, ascending
  std::vector<Line> lines_;                 // per unit
  std::vector<std::vector<StreamId>>
      followers_;              // per stream: whose requests come when some of its have ended
  std::vector<char> held_up_;  // per stream: its requests follow one that waits, or waited, for room
  std::vector<std::int64_t> per_round_;  // per stream: requests of the schedule; empty: no repeats
};

}  // namespace tandem
