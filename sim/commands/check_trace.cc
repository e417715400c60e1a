// tandem check-trace SCENARIO TRACE
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/decimal.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "scenarios/check/trace_check.h"

namespace tandem::check_trace {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr double kMostIdleMicros = 1e9;

struct CheckTraceArguments {
  std::string scenario, trace;
  double idle_us = InMicros(kUsualWakeUp);
  bool json = false;
};

Scenario ReadCheckable(const std::string& name) {
  Scenario scenario = ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
  if (!scenario.platform || !scenario.costs) {
    throw InputError(scenario.file + ": a trace is checked against a scenario with a platform and profiles");
  }
  return scenario;
}

Trace ReadTraceOf(const std::string& file, const Scenario& scenario) {
  Trace trace = ReadTraceFile(file);
  const auto same = [&](const char* what, const std::string& is, const std::string& should) {
    if (is == should) return;
    throw InputError(NameOfInput(file) + ": a trace of " + what + " \"" + is + "\", not of \"" + should +
                     "\"");
  };
  same("scenario", trace.scenario, scenario.name);
  same("platform", trace.platform, scenario.platform->name);
  if (trace.runs.empty()) {
    throw InputError(NameOfInput(file) + ": holds no run, and so nothing that a rule could be held against");
  }
  return trace;
}

nlohmann::ordered_json ToJson(const std::vector<TraceFinding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const TraceFinding& finding : findings) {
    list.push_back({{"run", finding.run},
                    {"rule", finding.rule},
                    {"request", finding.request},
                    {"time_ns", finding.time.count()},
                    {"message", finding.what}});
  }
  return list;
}

void PrintJson(const Trace& trace, const TraceJudgement& judgement) {
  nlohmann::ordered_json json = {{"ok", judgement.violations_total == 0},
                                 {"runs", trace.runs.size()},
                                 {"requests", judgement.requests},
                                 {"spans", judgement.spans},
                                 {"violations_total", judgement.violations_total},
                                 {"violations", ToJson(judgement.violations)},
                                 {"gaps_total", judgement.gaps_total},
                                 {"gaps", ToJson(judgement.gaps)},
                                 {"wake_ups_total", judgement.wake_ups_total}};
  WriteOutput(JsonOutput(json));
}

void PrintFindings(const std::vector<TraceFinding>& findings, std::int64_t total, const std::string& what) {
  if (total == 0) return;
  Table table(
      {{"run", false, true}, {"time", true}, {"rule"}, {"request", false, true}, {what, false, false, true}});
  for (std::size_t i = 0; i < findings.size() && i < kMostShown; ++i) {
    const TraceFinding& finding = findings[i];
    table.Add({finding.run, DecimalText(finding.time.count(), 3) + " us", finding.rule, finding.request,
               finding.what});
  }
  WriteOutput(table.Text(OutputWidth()));
  const auto shown = static_cast<std::int64_t>(std::min(findings.size(), kMostShown));
  if (total > shown) WriteOutput("... and " + Grouped(total - shown) + " more\n");
}

int CheckTraceFile(const CheckTraceArguments& arguments) {
  const Scenario scenario = ReadCheckable(arguments.scenario);
  const Trace trace = ReadTraceOf(arguments.trace, scenario);
  const TraceJudgement judgement = CheckTrace(scenario, trace, Nanos{std::llround(arguments.idle_us * 1e3)});
  const bool ok = judgement.violations_total == 0;
  if (arguments.json) {
    PrintJson(trace, judgement);
  } else {
    PrintFindings(judgement.violations, judgement.violations_total, "violation");
    PrintFindings(judgement.gaps, judgement.gaps_total, "reported, not forbidden on a device");
    if (judgement.wake_ups_total > 0) {
      WriteOutput(Grouped(judgement.wake_ups_total) + " more idle times are no longer than " +
                  Short(arguments.idle_us) + " us, which waking up may take: --idle-us\n");
    }
    WriteOutput((ok ? "ok  " : "no  ") + NameOfInput(arguments.trace) + ": " +
                Counted(static_cast<std::int64_t>(trace.runs.size()), "run") + ", " +
                Counted(judgement.requests, "request") + ", " + Counted(judgement.spans, "span") + ", " +
                Counted(judgement.violations_total, "violation") + "\n");
  }
  return ok ? kExitDone : kExitNo;
}

void Declare(Command& command, CheckTraceArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "the scenario that was run: a file, or one that tandem ships")
      .Required();
  command.Add("TRACE", &arguments.trace, "what `tandem simulate --trace` or a device wrote").Required();
  command.Add("--idle-us", &arguments.idle_us, "in measured traces: what a unit may take to wake up (100)")
      .RealRange(0, kMostIdleMicros);
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Exit status 1 where a rule is broken; each violation has its time, its rule and its request.\n"
      "In measured traces slots that are idle for longer than --idle-us while work waits are reported, not "
      "forbidden.\n"
      "Examples:\n  tandem check-trace study-003 fcfs.trace.json\n"
      "  tandem check-trace --json mine.scenario.json run.trace.json");
}

const CommandRegistration kCheckTrace{
    {.name = "check-trace",
     .summary =
         "does a trace obey every rule that schedules of its scenario obey? Derived anew from the files",
     .order = 30},
    Declare,
    CheckTraceFile};

}  // namespace
}  // namespace tandem::check_trace
