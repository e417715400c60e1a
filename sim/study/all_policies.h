// Room sim/study: what the commands of tandem do, without a command line.
//
// All policies on one scenario: the runs behind `tandem simulate`.
#pragma once

#include <filesystem>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/report/report.h"
#include "sim/study/one_run.h"
#include "sim/study/report_writer.h"

namespace tandem {

struct ReportFile {
  const ReportWriterDeclaration* writer;
  std::filesystem::path path;
};
struct SimulateOptions {
  Engine engine = Engine::kSimgrid;
  bool contention =
      false;  // exact engines: a run by SimGrid's own physics beside; fluid has the other anyway
  double interval = kUsualInterval;
  std::vector<ReportFile> files;
  std::vector<Report> unchanged = {};  // of the same policies without what the scenario supposes
};

// Throws InputError where none of them can win, as all stand beside others: before anything takes its time.
// `asked`: by --policy, else they are the scenario's.
void CheckSomeoneCanWin(const Scenario& scenario, const std::vector<PolicySpec>& policies, bool asked);

// One report per policy, of those that ran before `run` was interrupted. One that cannot run the scenario has
// a report that says why; throws that as InputError where none can. All have draws where those tell
// something.
std::vector<Report> RunAll(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                           const SimulateOptions& options, LongRun& run);

// Every policy so many times, replication r with seed + r, and times drawn from samples where there are some;
// a replication is the same for all policies. Only replications that are complete count: none, no reports.
// Writes none of the files. Changes the scenario's seed and puts it back.
std::vector<Report> Replicate(Scenario& scenario, const std::vector<PolicySpec>& policies,
                              const SimulateOptions& options, std::int64_t replications, LongRun& run);

}  // namespace tandem
