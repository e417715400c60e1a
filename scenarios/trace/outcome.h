// What came out of one run, as numbers: enough for every report, nothing per task.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/time.h"

namespace tandem {

// How many batches of a size a unit has run.
struct BatchCount {
  UnitId unit;
  std::int64_t size = 0, count = 0;
};

// What tasks of a stream took on a unit, as UnitOutcome has it of all streams.
struct StreamWork {
  UnitId unit;
  double task_joules = 0;
  Nanos unprofiled_busy{0};
};

// What one request took on the way of one that hangs on it.
struct StagePassed {
  Nanos waited{0}, worked{0};  // from the end of what it waited for until a unit took it, and until its end
};
struct StageOutcome {
  StreamId stream;          // as the file has it
  std::int64_t behind = 0;  // the most that stand behind it on any way
  std::vector<StagePassed> passed = {};
};

struct StreamOutcome {
  std::deque<Nanos> latencies;  // of the completed requests, in order of completion
  std::int64_t released = 0;    // completed, dropped, or still there where the run was cut short
  std::int64_t dropped = 0;
  std::int64_t skipped = 0;  // completed requests that it would follow, but for `every`
  std::int64_t missed = 0;   // completed after the deadline, and dropped
  Nanos first_release{0};    // 0 where nothing was released
  Nanos last_completion{0};
  Nanos last_release{0};
  std::vector<Nanos> end_to_end = {};  // as latencies, since the release of whom they hang on in the end
  // Of streams that leave requests out, or are asked: how old the newest result was each time that a newer
  // one replaced it, and requests when they were dropped.
  std::vector<Nanos> ages = {}, drop_ages = {};
  std::vector<BatchCount> batches = {};  // of streams whose requests go together: by unit, then size
  std::vector<StreamWork> work = {};     // by unit: of those that ended or lost any
  // Of a last stage, with all copies of it: so many ways from the release on which its requests hang to their
  // end, and what each stage took of those that lead through it, in order of streams.
  std::int64_t whole_ways = 0;
  std::vector<StageOutcome> stages = {};

  std::int64_t completed() const { return static_cast<std::int64_t>(latencies.size()); }
  void CountBatch(UnitId unit, std::int64_t size) {
    const auto at = std::lower_bound(batches.begin(), batches.end(), std::pair(unit, size),
                                     [](const BatchCount& one, const std::pair<UnitId, std::int64_t>& key) {
                                       return std::pair(one.unit, one.size) < key;
                                     });
    const bool there = at != batches.end() && at->unit == unit && at->size == size;
    ++(there ? at : batches.insert(at, {unit, size, 0}))->count;
  }
  StreamWork& WorkOn(UnitId unit) {
    const auto at = std::lower_bound(work.begin(), work.end(), unit,
                                     [](const StreamWork& one, UnitId key) { return one.unit < key; });
    return at != work.end() && at->unit == unit ? *at : *work.insert(at, {unit, 0, Nanos{0}});
  }
};

struct UnitOutcome {
  Nanos busy{0};                             // slots occupied, added up: copies, loads, dispatch and work
  std::int64_t tasks = 0;                    // that ended
  double task_joules = 0;                    // above idle, where the profile has them
  Nanos unprofiled_busy{0};                  // occupied by what has no joules of its own
  Nanos held_back{0};                        // by heat, as far as the scenario says when
  Nanos away{0};                             // it was not there
  std::int64_t lost_tasks = 0;               // that it had when it left, and that were begun again
  Nanos lost{0};                             // slots occupied by those
  std::optional<double> plugin_joules = {};  // all that it drew, as SimGrid's own energy plugin counts them
};

// How often a unit has loaded a model, and put it out for others.
struct LoadCount {
  UnitId unit;
  ModelId model;
  std::int64_t loads = 0, evictions = 0;
};

struct UnitResidents {
  std::string unit;
  std::vector<std::string> models;
};

struct Outcome {
  std::vector<StreamOutcome> streams;
  std::vector<UnitOutcome> units;
  Nanos first_release{0}, last_completion{0};
  Nanos end{0};                       // the clock when the run ended
  bool complete = true;               // else cut short: what is here is what was complete by then
  std::vector<LoadCount> loads = {};  // by unit, then model; of those that were either

  Nanos makespan() const {
    return last_completion > first_release ? last_completion - first_release : Nanos{0};
  }
};

}  // namespace tandem
