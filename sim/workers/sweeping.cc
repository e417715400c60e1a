#include "sim/workers/sweeping.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/program/cores.h"
#include "profiles/program/program.h"
#include "sim/workers/ranks.h"
#include "sim/workers/row_maker.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

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

// Hands out a list, to each worker some that follow each other: runs of one point share its scenario.
class InBlocks {
 public:
  InBlocks(const std::vector<std::size_t>& positions, std::size_t workers)
      : positions_(positions), blocks_(workers) {}

  std::optional<std::size_t> Next(std::size_t worker) {
    auto& [at, end] = blocks_[worker];
    if (at == end) {
      const std::size_t share = (positions_.size() - given_) / (2 * blocks_.size());
      at = given_;
      given_ = std::min(given_ + std::clamp<std::size_t>(share, 1, kMostInBlock), positions_.size());
      end = given_;
    }
    if (at == end) return std::nullopt;
    return positions_[at++];
  }

 private:
  static constexpr std::size_t kMostInBlock = 16;

  const std::vector<std::size_t>& positions_;
  std::size_t given_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> blocks_;  // what a worker has still to do
};

}  // namespace

SweepProgress WorkOff(const Sweep& sweep, const std::vector<SweepRun>& runs, const SweepWork& work,
                      LongRun& watch) {
  MakeFolder(work.folder);
  const std::vector<std::size_t> to_do = ToDo(runs, work);
  const auto total = static_cast<std::int64_t>(to_do.size());
  const std::size_t jobs = std::min(work.jobs > 0 ? work.jobs : CoresToUse(), to_do.size());
  Crew crew(runs, TaskOf(sweep, work), OptionsOf(work, jobs));
  InBlocks blocks(to_do, std::max<std::size_t>(jobs, 1));
  const CrewCount count =
      crew.Work([&](std::size_t worker) { return blocks.Next(worker); },
                [&](const CrewCount& now) { return watch.ProgressAndTimeLeft("runs", now.done, total); });
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
      crew.Work([&](std::size_t) { return next(); }, [](const CrewCount&) { return true; });
      return kExitDone;
    });
  };
  const auto to_do = [&] {
    std::vector<std::size_t> positions = ToDo(runs, work);
    total = static_cast<std::int64_t>(positions.size());
    return positions;
  };
  bool told = false;
  const RankOutcome outcome = WorkInRanks(ranks, foreman, to_do, [&](std::size_t given) {
    const bool go_on = watch.ProgressAndTimeLeft("runs", static_cast<std::int64_t>(given), total);
    // At once: who is asked by an mpirun that has lost a rank has a second left.
    if (!go_on && !std::exchange(told, true)) {
      watch.Clear();
      WriteError(
          "tandem: asked to end, as mpirun does when a rank is lost; the same command goes on with what "
          "is missing\n");
    }
    return go_on;
  });
  watch.Clear();
  if (outcome.is_alone) return {.is_first = false, .is_alone = true};
  if (outcome.foreman_failed)
    throw EnvironmentError("a rank's worker could not go on; what it lacks is missing");
  return {.there_before = static_cast<std::int64_t>(runs.size()) - total, .is_first = outcome.is_first};
}

}  // namespace tandem
