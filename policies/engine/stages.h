// What each stage costs of a pipeline of streams: for every request of a last stage, which nobody waits for,
// the way from the release on which it hangs to its end, through the requests that it waited for longest.
#pragma once

#include <optional>
#include <vector>

#include "policies/problem/task.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

class Stages {
 public:
  // Not `any`: of no stream. `scenario` outlives it.
  explicit Stages(const Scenario& scenario, bool any = true);

  bool on() const { return on_; }
  // Is it a stage, one that others follow or that follows another?
  bool Watches(StreamId stream) const { return on_ && is_stage_[stream.index()] != 0; }
  // A unit takes a task of a stage's request; the first time counts.
  void Taken(const Task& task, Nanos now);
  // A request of a stage has ended. `origin`: the release on which it hangs in the end.
  void Ended(const Task& task, bool completed, Nanos origin, Nanos now, Outcome& outcome);

 private:
  static constexpr Nanos kNotYet{-1};
  struct Times {
    Nanos taken = kNotYet, ended = kNotYet;
  };

  Times& Of(StreamId stream, std::int64_t index);
  // The one that it waited for longest, of those that hang on the same request; nothing: it came by itself.
  std::optional<StreamId> WaitedFor(StreamId stream, std::int64_t index) const;

  bool on_ = false;
  std::vector<char> is_stage_, is_last_;          // per stream
  std::vector<std::vector<StreamId>> waits_for_;  // per stream: of those that hang on what it hangs on
  std::vector<StreamId> in_file_;                 // per stream: the file's, of which it may be a copy
  std::vector<std::vector<Times>> times_;         // per stage, by index
};

}  // namespace tandem
