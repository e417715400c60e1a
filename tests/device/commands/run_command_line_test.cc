// Does `tandem-device run` take plans, requests and standard input, and end as it says?
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/json_text.h"
#include "scenarios/check/trace_check.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/trace/read.h"
#include "tests/support/device/harness_files.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

class RunCommand : public HarnessFiles {
 protected:
  RunCommand() {
    streams = R"([{"name": "x", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}}])";
  }
  ProgramResult Run(const std::string& arguments) const {
    return RunShell("cd " + folder.string() + " && " TANDEM_PROGRAM " run " + arguments);
  }
  static RunAnswer Read(const ProgramResult& printed) {
    const JsonDocument document = JsonDocument::Parse(printed.output, "run");
    return ReadRunAnswer(document.root());
  }
};

TEST_F(RunCommand, RefusesPlansOfOtherMachinesAndCanBeForced) {
  const std::string plan = WritePlan(R"("fcfs")");
  const ProgramResult refused = Run(plan);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.output, "");
  EXPECT_NE(refused.errors.find("the plan was not made for this machine"), std::string::npos)
      << refused.errors;
  const ProgramResult forced = Run(plan + " --force");
  EXPECT_EQ(forced.status, 0) << forced.errors;
  EXPECT_NE(forced.output.find("warning:"), std::string::npos) << forced.output;
  EXPECT_NE(forced.output.find("correct"), std::string::npos) << forced.output;
  EXPECT_EQ(forced.errors, "");
}

TEST_F(RunCommand, PrintsAResultThatReadsBack) {
  const ProgramResult printed = Run(WritePlan(R"("fcfs")") + " " + WritePlan(R"("sjf")") +
                                    " --repeat 2 --force --json --trace trace.json");
  ASSERT_EQ(printed.status, 0) << printed.errors;
  const RunAnswer result = Read(printed);
  ASSERT_EQ(result.runs.size(), 4u);
  EXPECT_TRUE(result.forced);
  EXPECT_EQ(result.trace, "") << "it went into the file";
  EXPECT_EQ(ReadTraceFile(folder / "trace.json").runs.size(), 4u);
  for (const DeviceRun& run : result.runs) {
    EXPECT_EQ(run.outputs.checked, 6);
    EXPECT_EQ(run.outputs.wrong, 0);
    EXPECT_EQ(run.label, run.plan == 0 ? "fcfs" : "sjf");
  }
  EXPECT_EQ(RunAnswerJson(result),
            printed.output.substr(0, printed.output.find("\"reports\"")) +
                RunAnswerJson(result).substr(RunAnswerJson(result).find("\"reports\"")));
}

TEST_F(RunCommand, TakesARequestFromStandardInput) {
  const std::string plan = WritePlan(R"("fcfs")");
  Write("ask.json", "run-request/1",
        R"("plans": [")" + plan + R"("], "repeats": 3, "check": false, "trace": true, "force": true)");
  const ProgramResult printed = RunShell(TANDEM_PROGRAM " run --json < " + (folder / "ask.json").string());
  ASSERT_EQ(printed.status, 0) << printed.errors;
  const RunAnswer result = Read(printed);
  ASSERT_EQ(result.runs.size(), 3u);
  EXPECT_EQ(result.runs[0].outputs.unchecked, 6);
  const JsonDocument trace = JsonDocument::Parse(result.trace, "trace");
  EXPECT_EQ(ReadTrace(trace.root()).runs.size(), 3u);
  const ProgramResult nothing = RunShell(TANDEM_PROGRAM " run - < /dev/null");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.errors.rfind("(standard input):", 0), 0u) << nothing.errors;
}

TEST_F(RunCommand, TellsEachRunAsSoonAsItIsDone) {
  const std::string plan = WritePlan(R"("fcfs")");
  const auto ask = [&](const std::string& more_keys) {
    Write("ask.json", "run-request/1",
          R"("plans": [")" + plan + R"("], "repeats": 3, "trace": true, "force": true)" + more_keys);
    return RunShell(TANDEM_PROGRAM " run --json < " + (folder / "ask.json").string());
  };
  const ProgramResult printed = ask(R"(, "each": true)");
  ASSERT_EQ(printed.status, 0) << printed.errors;
  std::vector<RunAnswer> answers;
  for (const std::string_view record : RunRecords(printed.output)) {
    answers.push_back(ReadRunAnswer(JsonDocument::Parse(record, "record").root()));
  }
  ASSERT_EQ(answers.size(), 4u) << "and one that says that this was all";
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(answers[r].runs.size(), r < 3 ? 1u : 0u);
  const RunAnswer joined = JoinRuns(std::move(answers)), at_once = Read(ask(""));
  ASSERT_EQ(joined.runs.size(), at_once.runs.size());
  for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(joined.runs[r].repeat, at_once.runs[r].repeat);
  EXPECT_EQ(joined.warnings, at_once.warnings);
  const JsonDocument trace = JsonDocument::Parse(joined.trace, "trace");
  EXPECT_EQ(ReadTrace(trace.root()).runs.size(), 3u);
  const JsonDocument reports = JsonDocument::Parse(joined.reports, "reports");
  EXPECT_EQ(reports.root().size(), 3u);
}

// A unit that two streams share, as applications do that nobody manages.
class RunOfApplications : public RunCommand {
 protected:
  RunOfApplications() {
    units = R"([{"name": "all", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 2,
                 "time_shared": true}])";
    streams =
        R"([{"name": "x", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}},
            {"name": "y", "model": "./m1.json", "count": 5, "deadline_ms": 100000,
             "arrival": {"type": "periodic", "period_ms": 5}}])";
  }
};

TEST_F(RunOfApplications, AreAProcessForEachStreamAndOneRun) {
  const std::string plan = WritePlan(R"("unmanaged")");
  const ProgramResult printed = Run(plan + " --repeat 2 --force --json --trace trace.json");
  ASSERT_EQ(printed.status, 0) << printed.errors;
  const RunAnswer result = Read(printed);
  ASSERT_EQ(result.runs.size(), 2U);
  for (const DeviceRun& run : result.runs) {
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.checked, 11);
    EXPECT_EQ(run.outputs.wrong, 0);
    EXPECT_GT(run.makespan.count(), 20'000'000) << "until the last request has come";
  }
  for (const std::string& warning : result.warnings)
    EXPECT_EQ(warning.find("take turns"), std::string::npos) << warning;
  const Trace trace = ReadTraceFile(folder / "trace.json");
  ASSERT_EQ(trace.runs.size(), 2U);
  for (const TracedRun& run : trace.runs) {
    std::set<std::pair<std::string, std::int64_t>> slots;
    for (const TracedSpan& span : run.spans) {
      slots.emplace(run.streams[static_cast<std::size_t>(span.stream)],
                    run.tracks[static_cast<std::size_t>(span.track)].slot);
    }
    EXPECT_EQ(slots, (std::set<std::pair<std::string, std::int64_t>>{{"x", 0}, {"y", 1}}));
    EXPECT_EQ(run.spans.size(), 11U);
  }
  for (const TraceFinding& finding : CheckTrace(Plan(R"("unmanaged")").scenario, trace).violations)
    ADD_FAILURE() << finding.rule << ", " << finding.request << ": " << finding.what;
}

TEST_F(RunOfApplications, TakeThePlanFromStandardInputToo) {
  const std::string plan = WritePlan(R"("unmanaged")");
  const ProgramResult printed =
      RunShell("cd " + folder.string() + " && " TANDEM_PROGRAM " run - --force --json < " + plan);
  ASSERT_EQ(printed.status, 0) << printed.errors;
  EXPECT_EQ(Read(printed).runs.at(0).outputs.checked, 11);
}

TEST_F(RunOfApplications, TakeTurnsWhereTheUnitDoesOneTaskAfterTheOtherAndThatIsSaid) {
  units = R"([{"name": "all", "kind": "cpu", "memory": "dram", "backend": "reference"}])";
  const ProgramResult printed = Run(WritePlan(R"("unmanaged")") + " --force --json");
  ASSERT_EQ(printed.status, 0) << printed.errors;
  EXPECT_EQ(Read(printed).runs.at(0).outputs.checked, 11);
  EXPECT_NE(printed.output.find("unmanaged: its streams take turns under tandem's dispatcher"),
            std::string::npos)
      << printed.output;
}

TEST_F(RunOfApplications, AreOfStreamsThatThePlanHas) {
  const std::string plan = WritePlan(R"("unmanaged")");
  for (const char* wrong : {"0:z", "1:x", "x"}) {
    const ProgramResult refused = Run(plan + " --force --application " + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.errors.find("--application \"" + std::string(wrong)), std::string::npos)
        << refused.errors;
  }
}

TEST_F(RunCommand, WhatTheDeviceCannotDoEndsWithThree) {
  more = R"(, "background": [{"command": ["./no_such_program"]}])";
  const ProgramResult result = Run(WritePlan(R"("fcfs")") + " --force --allow-commands");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("\"./no_such_program\" cannot be started"), std::string::npos)
      << result.errors;
}

TEST_F(RunCommand, StartsWhatAPlanNamesWhereCommandsAreAllowed) {
  more = R"(, "background": [{"command": ["sh", "-c", "touch started; sleep 1000"]}])";
  const std::string plan = WritePlan(R"("fcfs")");
  const ProgramResult refused = Run(plan + " --force");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find(": names a program to be started, background: \"sh -c touch started; sleep "
                                "1000\"; --allow-commands starts what files name\n"),
            std::string::npos)
      << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "started"));
  const ProgramResult allowed = Run(plan + " --force --allow-commands");
  EXPECT_EQ(allowed.status, 0) << allowed.errors;
  EXPECT_TRUE(std::filesystem::exists(folder / "started"));
}

TEST_F(RunCommand, AnInterruptedRunSaysWhatIsDone) {
  streams = R"([{"name": "x", "model": "./m0.json", "count": 2,
                 "arrival": {"type": "periodic", "period_ms": 3600000}}])";
  // As Ctrl-C, `kill` and a lost terminal do, once everything is ready.
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    more = R"(, "background": [{"command": ["sh", "-c", "kill -)" + signal + R"( $PPID"]}])";
    const ProgramResult result = Run(WritePlan(R"("fcfs")") + " --json --force --allow-commands");
    EXPECT_EQ(result.status, 130) << signal;
    const RunAnswer read = Read(result);
    ASSERT_EQ(read.runs.size(), 1u) << signal;
    EXPECT_FALSE(read.runs[0].complete);
    EXPECT_NE(result.errors.find("interrupted"), std::string::npos) << result.errors;
  }
}

// As where a connection is lost, or whoever asked was killed.
TEST_F(RunCommand, EndsWithItsBackgroundOnceNobodyReadsItsAnswer) {
  streams = R"([{"name": "x", "model": "./m0.json", "count": 2,
                 "arrival": {"type": "periodic", "period_ms": 3600000}}])";
  more = R"(, "background": [{"command": ["sh", "-c", "echo $$ > beside; exec sleep 1000"]}])";
  const std::string plan = WritePlan(R"("fcfs")");
  const ProgramResult result = RunShell(
      "cd " + folder.string() + " && { timeout 60 " TANDEM_PROGRAM " run " + plan +
      " --json --force --allow-commands; echo $? > status; } | while [ ! -s beside ]; do sleep 0.05; done");
  EXPECT_EQ(ReadTextFile(folder / "status"), "130\n") << result.errors;
  const std::string alive = "grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$(cat beside)/status";
  EXPECT_EQ(RunShell("cd " + folder.string() + "; for i in $(seq 400); do " + alive +
                     " 2>/dev/null || exit 0; sleep 0.05; done; exit 1")
                .status,
            0)
      << "the program beside it still runs";
}

}  // namespace
}  // namespace tandem
