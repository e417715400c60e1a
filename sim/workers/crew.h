// Workers: processes that are forked once each, take one run after the other and write their rows themselves.
// One that dies or takes too long leaves a row that says so, and another one goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/sweep/row.h"
#include "sim/sweep/runs.h"
#include "sim/workers/row_file.h"

namespace tandem {

struct CrewOptions {
  std::filesystem::path folder = {};  // for the rows
  std::size_t jobs = 1;
  std::optional<std::chrono::milliseconds> timeout = {};  // of one run
  bool isolate = false;                                   // a process per run
};

// What the crew does with a run.
struct CrewTask {
  std::function<SweepRow(const SweepRun&)> blank;  // of one that left no row; called here
  // Called in a worker, for what it then calls with each of its runs.
  std::function<std::function<SweepRow(const SweepRun&)>()> simulator;
};

struct CrewCount {
  std::int64_t done = 0, failed = 0;  // done: rows, those that failed too
};

class Crew {
 public:
  Crew(const std::vector<SweepRun>& runs, CrewTask task, CrewOptions options);
  ~Crew();  // ends what still runs

  // Takes positions of runs, for the worker of this number, from `next` until it has none (nothing) or
  // `go_on` says no, which is asked often; comes back when nothing runs any more. Throws EnvironmentError
  // where rows cannot be written.
  using Next = std::function<std::optional<std::size_t>(std::size_t worker)>;
  CrewCount Work(const Next& next, const std::function<bool(const CrewCount&)>& go_on);

 private:
  struct Worker;
  void Hire(Worker& worker);
  [[noreturn]] void Serve(int socket);
  void Give(Worker& worker, std::size_t run);
  bool GiveAll(const Next& next);
  bool AnyBusy() const;
  void Await();
  void Hear(Worker& worker);
  void EndLate(Worker& worker);
  void WriteFor(Worker& worker, RowStatus status, std::string message);

  const std::vector<SweepRun>& runs_;
  CrewTask task_;
  CrewOptions options_;
  std::vector<Worker> workers_;
  RowFile rows_;  // of those who could not write theirs
  CrewCount count_;
};

}  // namespace tandem
