#include "sim/workers/sweeping.h"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>

#include "profiles/base/input_error.h"
#include "profiles/program/program.h"
#include "sim/workers/ranks.h"
#include "sim/workers/row_maker.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Cores that this process may use.
std::size_t CoresHere() {
#ifdef __linux__
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return static_cast<std::size_t>(CPU_COUNT(&cores));
#endif
  return std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw EnvironmentError(folder.string() + ": cannot be made: " + error.message());
  }
}

// Positions of the runs that have no row, or none that counts.
std::vector<std::size_t> ToDo(const std::vector<SweepRun>& runs, const SweepWork& work) {
  const std::map<std::string, SweepRow> rows = ReadRows(work.folder);
  std::vector<std::size_t> to_do;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto row = rows.find(runs[r].key);
    const bool is_there = row != rows.end() && (row->second.status == RowStatus::kOk || !work.retry_failed);
    if (!is_there) to_do.push_back(r);
  }
  return to_do;
}

CrewOptions OptionsOf(const SweepWork& work, std::size_t jobs) {
  return {.folder = work.folder,
          .jobs = jobs,
          .timeout = work.timeout,
          .isolate = work.isolate || work.retry_failed};
}

CrewTask TaskOf(const Sweep& sweep, const SweepWork& work) {
  const auto maker = std::make_shared<RowMaker>(sweep, work.engine);
  const auto simulator = [&sweep, engine = work.engine] {
    // In the worker: what it reads is its own.
    const auto own = std::make_shared<RowMaker>(sweep, engine);
    return [own](const SweepRun& run) { return own->Row(run); };
  };
  return {.blank = [maker](const SweepRun& run) { return maker->Blank(run); }, .simulator = simulator};
}

// Hands out a list from its begin to its end.
Crew::Next InOrder(const std::vector<std::size_t>& positions) {
  return [&positions, next = std::size_t{0}]() mutable -> std::optional<std::size_t> {
    if (next == positions.size()) return std::nullopt;
    return positions[next++];
  };
}

}  // namespace

SweepProgress WorkOff(const Sweep& sweep, const std::vector<SweepRun>& runs, const SweepWork& work,
                      LongRun& watch) {
  MakeFolder(work.folder);
  const std::vector<std::size_t> to_do = ToDo(runs, work);
  const auto total = static_cast<std::int64_t>(to_do.size());
  const std::size_t jobs = std::min(work.jobs > 0 ? work.jobs : CoresHere(), to_do.size());
  Crew crew(runs, TaskOf(sweep, work), OptionsOf(work, jobs));
  const CrewCount count = crew.Work(InOrder(to_do), [&](const CrewCount& now) {
    return watch.ProgressAndTimeLeft("runs", now.done, total);
  });
  watch.Clear();
  return {.there_before = static_cast<std::int64_t>(runs.size()) - total,
          .done = count.done,
          .failed = count.failed};
}

SweepProgress WorkOffInRanks(const Sweep& sweep, const std::vector<SweepRun>& runs, const SweepWork& work,
                             std::int64_t ranks, LongRun& watch) {
  MakeFolder(work.folder);
  std::int64_t total = 0;
  const auto foreman = [&](const NextOfRank& next) {
    return RunGuarded("tandem", [&] {
      Crew crew(runs, TaskOf(sweep, work), OptionsOf(work, 1));
      crew.Work(next, [](const CrewCount&) { return true; });
      return kExitDone;
    });
  };
  const auto to_do = [&] {
    std::vector<std::size_t> positions = ToDo(runs, work);
    total = static_cast<std::int64_t>(positions.size());
    return positions;
  };
  const RankOutcome outcome = WorkInRanks(ranks, foreman, to_do, [&](std::size_t given) {
    return watch.ProgressAndTimeLeft("runs", static_cast<std::int64_t>(given), total);
  });
  watch.Clear();
  if (outcome.foreman_failed)
    throw EnvironmentError("a rank's worker could not go on; what it lacks is missing");
  return {.there_before = static_cast<std::int64_t>(runs.size()) - total, .is_first = outcome.is_first};
}

}  // namespace tandem
