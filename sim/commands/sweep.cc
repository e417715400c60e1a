// tandem sweep SPEC
#include <filesystem>
#include <optional>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/html_option.h"
#include "sim/sweep/results.h"
#include "sim/workers/ranks.h"
#include "sim/workers/shard.h"
#include "sim/workers/sweeping.h"

namespace tandem::sweep {
namespace {

constexpr std::int64_t kMostJobs = 4096;
constexpr double kLongestRun = 1e6;  // seconds

struct SweepArguments {
  std::string spec, folder, engine = "virtual", run, shard, csv, html;
  std::vector<std::string> pareto;
  std::int64_t jobs = 0;
  double timeout = 0;
  bool list = false, collect = false, retry_failed = false, isolate = false, force = false, json = false;
};

SweepWork WorkOf(const SweepArguments& arguments) {
  SweepWork work;
  work.engine = EngineNamed(arguments.engine);
  work.folder = arguments.folder;
  work.jobs = static_cast<std::size_t>(arguments.jobs);
  if (arguments.timeout > 0) {
    work.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.timeout * 1e3 + 0.5));
  }
  work.isolate = arguments.isolate;
  work.retry_failed = arguments.retry_failed;
  return work;
}

std::vector<SweepRun> RunByKey(const std::vector<SweepRun>& runs, const std::string& key) {
  for (const SweepRun& run : runs) {
    if (run.key == key) return {run};
  }
  throw InputError("--run: the sweep has no run " + Quoted(key) + "; --list prints those that it has");
}

int PrintKeys(const SweepArguments& arguments, const Sweep& sweep, const std::vector<SweepRun>& runs) {
  const std::string keys = Joined(runs, "\n", &SweepRun::key) + (runs.empty() ? "" : "\n");
  WriteOutput(arguments.json ? RunsJson(sweep, runs) : keys);
  return kExitDone;
}

Outputs OutputsOf(const SweepArguments& arguments) {
  return Outputs({{"--csv", arguments.csv, kResultsCsv}, HtmlOutput(arguments.html)}, arguments.force,
                 arguments.json);
}

int Collect(const SweepArguments& arguments, const Sweep& sweep, const std::vector<SweepRun>& runs,
            const Outputs& outputs) {
  const CollectedRows collected = CollectRows(sweep, runs, arguments.folder);
  if (!arguments.csv.empty()) WriteResultsCsv(sweep, collected, arguments.csv);
  const auto result = [&] { return ResultsJson(sweep, collected, arguments.pareto); };
  if (!arguments.html.empty()) WriteHtml(arguments.html, PageOf(sweep.name, {result()}));
  if (arguments.json) {
    WriteOutput(result());
  } else {
    outputs.Say(ResultsText(sweep, collected, arguments.pareto, OutputWidth()));
  }
  return collected.missing.empty() && collected.failed == 0 ? kExitDone : kExitNo;
}

int Interrupted(const LongRun& watch) {
  if (!watch.interrupted()) return kExitDone;
  WriteError("tandem: interrupted; the same command goes on with what is missing\n");
  return kExitInterrupted;
}

void TellPart(const SweepArguments& arguments, const SweepProgress& progress, std::size_t runs) {
  const std::string all = std::to_string(runs), done = std::to_string(progress.done),
                    failed = std::to_string(progress.failed), before = std::to_string(progress.there_before);
  WriteNote("tandem: " + done + " of " + all + " runs done, " + failed + " failed, " + before +
            " were there\n");
  if (!arguments.json) return;
  WriteOutput("{\"runs\": " + all + ", \"done\": " + done + ", \"failed\": " + failed +
              ", \"there_before\": " + before + "}\n");
}

// A part of it: what it came to is for --collect to say.
int WorkOnPart(const SweepArguments& arguments, const Sweep& sweep, const std::vector<SweepRun>& runs,
               const SweepWork& work, LongRun& watch) {
  const SweepProgress progress = WorkOff(sweep, runs, work, watch);
  TellPart(arguments, progress, runs.size());
  if (const int status = Interrupted(watch); status != kExitDone) return status;
  return progress.failed == 0 ? kExitDone : kExitNo;
}

// Each rank runs what it is handed; the first one says what came out. Nothing: they cannot talk.
std::optional<int> RunInRanks(const SweepArguments& arguments, const Sweep& sweep,
                              const std::vector<SweepRun>& runs, const SweepWork& work, LongRun& watch) {
  const Outputs outputs = OutputsOf(arguments);
  const SweepProgress progress = WorkOffInRanks(sweep, runs, work, ShardOfRank()->count, watch);
  if (progress.is_alone) {
    WriteNote("tandem: mpirun is of another MPI than tandem was built with: each rank takes its share\n");
    return std::nullopt;
  }
  if (!progress.is_first) return kExitDone;
  return watch.interrupted() ? kExitInterrupted : Collect(arguments, sweep, runs, outputs);
}

int Run(const SweepArguments& arguments, const Sweep& sweep, const std::vector<SweepRun>& runs) {
  LongRun watch;
  SweepWork work = WorkOf(arguments);
  if (!arguments.run.empty()) {
    work.jobs = 1;
    return WorkOnPart(arguments, sweep, RunByKey(runs, arguments.run), work, watch);
  }
  // What is asked for, else what Slurm's array says, and of that what the rank does.
  const bool asked = !arguments.shard.empty();
  const auto shard = asked ? ShardNamed(arguments.shard) : ShardOfArrayTask();
  const std::vector<SweepRun> own = shard ? RunsOfShard(runs, *shard) : runs;
  const auto rank = asked ? std::nullopt : ShardOfRank();
  if (rank && KnowsRanks() && IsRankOfMpi()) {
    if (const auto status = RunInRanks(arguments, sweep, own, work, watch)) return *status;
  }
  if (rank) return WorkOnPart(arguments, sweep, RunsOfShard(own, *rank), work, watch);
  if (shard) return WorkOnPart(arguments, sweep, own, work, watch);
  const Outputs outputs = OutputsOf(arguments);
  WorkOff(sweep, runs, work, watch);
  if (const int status = Interrupted(watch); status != kExitDone) return status;
  return Collect(arguments, sweep, runs, outputs);
}

void CheckFolder(const std::string& folder) {
  if (folder.empty()) throw InputError("-o: a sweep needs a folder for its rows");
  std::error_code error;
  const bool file = std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error);
  if (file || IsStandardStream(folder)) throw InputError("-o: " + folder + " is no folder for rows");
}

// The table and the page are made anew each time.
void RefuseOutputs(const SweepArguments& arguments) {
  const Outputs outputs({{"--csv", arguments.csv, {"a table"}}, HtmlOutput(arguments.html)}, true,
                        arguments.json);
}

int SweepAll(const SweepArguments& arguments) {
  CheckParetoFigures(arguments.pareto);
  const Sweep sweep = LoadSweep(arguments.spec);
  const std::vector<SweepRun> runs = RunsOf(sweep, EngineNamed(arguments.engine));
  RefuseOutputs(arguments);
  if (runs.empty()) throw InputError(sweep.file + ":/policies: there are none, here or in the scenario");
  if (arguments.list) {
    const auto shard = arguments.shard.empty() ? std::nullopt : std::optional(ShardNamed(arguments.shard));
    return PrintKeys(arguments, sweep, shard ? RunsOfShard(runs, *shard) : runs);
  }
  CheckFolder(arguments.folder);
  return arguments.collect ? Collect(arguments, sweep, runs, OutputsOf(arguments))
                           : Run(arguments, sweep, runs);
}

// What is put together at the end, of all runs alone.
void DeclareResults(Command& command, SweepArguments& arguments,
                    const std::vector<Command::Option>& without) {
  command.Add("--pareto", &arguments.pareto, "also the front of two or three figures: makespan_ns,energy_j")
      .Separated(',')
      .OneWord()
      .Excludes(without);
  command.Add("--csv", &arguments.csv, "write a table of all rows to this file").Excludes(without);
  AddHtml(command, arguments.html).Excludes(without);
  command.Flag("--json", &arguments.json, "print JSON: the rows, what is missing and what they say together");
  command.Force(&arguments.force);
}

std::vector<Command::Option> DeclareVerbs(Command& command, SweepArguments& arguments) {
  const auto list = command.Flag("--list", &arguments.list, "print the keys of all runs, one a line");
  const auto run = command.Add("--run", &arguments.run, "run this one alone").Shown("KEY").Excludes({list});
  const auto shard =
      command
          .Add("--shard", &arguments.shard, "run this part, from 1; unless said, what Slurm or the rank says")
          .Shown("I/N")
          .Excludes({run});
  command.Flag("--collect", &arguments.collect, "run nothing: put together what is there")
      .Excludes({list, run, shard});
  return {list, run, shard};
}

void Declare(Command& command, SweepArguments& arguments) {
  command.Add("SPEC", &arguments.spec, "a sweep: a file, or the name of one that tandem ships").Required();
  command
      .Add("-o,--output", &arguments.folder, "the folder of the rows; those that are there are not run again")
      .Shown("DIR");
  const auto parts = DeclareVerbs(command, arguments);
  command.Add("--jobs", &arguments.jobs, "so many at a time; one per core unless said").Range(1, kMostJobs);
  command.Add("--timeout", &arguments.timeout, "a run that takes longer is a row that says so")
      .Shown("SECONDS")
      .RealRange(0.001, kLongestRun);
  command.Flag("--retry-failed", &arguments.retry_failed,
               "run again what failed or took too long, each in a process of its own");
  command.Flag("--isolate", &arguments.isolate, "a process for each run, not for many");
  AddEngine(command, arguments.engine);
  DeclareResults(command, arguments, parts);
  command.Footer(
      "Killed at any moment it goes on where it was: the same command again. Under mpirun ranks are handed "
      "their\n"
      "runs one after the other; docs/sweep.md has Slurm and GNU parallel.\n"
      "Exit status 1 where a run failed or is missing; 130 after Ctrl-C, SIGTERM or SIGHUP, with the rows of "
      "all "
      "that "
      "ran.\n"
      "Examples:\n  tandem check study-003-counts\n  tandem sweep study-003-counts -o rows\n"
      "  tandem sweep mine.sweep.json -o rows --shard 2/8\n"
      "  tandem sweep mine.sweep.json -o rows --collect --csv table.csv --pareto makespan_ns,energy_j\n"
      "  tandem sweep mine.sweep.json -o rows --collect --html mine.html\n"
      "  tandem sweep mine.sweep.json --list | parallel tandem sweep mine.sweep.json -o rows --run {}");
}

const CommandRegistration kSweep{
    {.name = "sweep", .summary = "run a scenario with values that vary, and say what matters", .order = 78},
    Declare,
    SweepAll};

}  // namespace
}  // namespace tandem::sweep
