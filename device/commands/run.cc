// Room device/commands: the command line of tandem-device, a file a command.
//
// tandem-device run [PLAN]
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "device/harness/harness.h"
#include "device/machine/device_info.h"
#include "device/study/application.h"
#include "device/study/store.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/outputs.h"
#include "scenarios/exchange/named_programs.h"

namespace tandem::run {
namespace {

struct RunArguments {
  std::vector<std::string> plans;
  std::int64_t repeat = 0, tries = 0;
  std::string trace, sent, application;
  bool force = false, no_check = false, allow_commands = false, json = false;
};

RunOrder ReadFrom(const std::string& name, const ScenarioOptions& options) {
  return ReadRunOrder(JsonDocument::ReadFile(name).root(), options);
}

// A request alone, or plans that make one.
RunOrder RequestOf(const RunArguments& arguments) {
  ScenarioOptions options;
  options.device = LookAtDevice().platform;
  const std::vector<std::string> names =
      arguments.plans.empty() ? std::vector<std::string>{"-"} : arguments.plans;
  RunOrder request = ReadFrom(names[0], options);
  for (std::size_t n = 1; n < names.size(); ++n) {
    for (PlanFile& plan : ReadFrom(names[n], options).plans) request.plans.push_back(std::move(plan));
  }
  if (arguments.repeat > 0) request.repeats = arguments.repeat;
  if (arguments.tries > 0) request.tries = arguments.tries;
  if (!arguments.trace.empty()) request.trace = true;
  if (arguments.force) request.force = true;
  if (arguments.no_check) request.check = false;
  return request;
}

std::string NameOf(const RunOrder& request) {
  return request.plans.empty() ? "run" : request.plans.front().scenario.file;
}

// This program again, for one stream of one of the plans: what it read, that reads, too.
std::unique_ptr<ChildProgram> StartApplicationOf(const RunArguments& arguments, std::size_t plan,
                                                 const std::string& stream) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "run",
                                 "--application", std::to_string(plan) + ":" + stream};
  for (const std::string& name : arguments.plans) words.push_back(name);
  if (!arguments.sent.empty()) words.insert(words.end(), {"--sent", arguments.sent});
  if (arguments.force) words.emplace_back("--force");
  if (arguments.no_check) words.emplace_back("--no-check");
  if (arguments.allow_commands) words.emplace_back("--allow-commands");
  const bool reads = arguments.plans.empty() ||
                     std::find(arguments.plans.begin(), arguments.plans.end(), "-") != arguments.plans.end();
  const std::string input = reads ? ReadTextFile(NameOfInput("-")) : std::string();
  return std::make_unique<ChildProgram>("application " + Quoted(stream), words, input, kLargestTextFile);
}

// They are told already.
RunAnswer WithoutRuns(RunAnswer result) {
  result.runs.clear();
  return result;
}

int RunOneApplication(const RunOrder& request, const std::string& application, HarnessHost place) {
  const LongRun run;
  place.progress = [&](const std::string&, std::int64_t, std::int64_t) { return !run.interrupted(); };
  return RunAsApplication(PlanOfApplication(request, application), request, std::move(place));
}

int Run(const RunArguments& arguments) {
  if (!arguments.sent.empty()) FileStore(StoreFolder()).Use(arguments.sent);
  const RunOrder request = RequestOf(arguments);
  CheckAllowed(NameOf(request), ProgramsOf(request), arguments.allow_commands);
  const Outputs outputs({{"--trace", arguments.trace, {"trace/1"}}}, arguments.force, arguments.json);
  HarnessHost place = ThisHost(request.plans);
  place.allow_commands = arguments.allow_commands;
  if (!arguments.application.empty())
    return RunOneApplication(request, arguments.application, std::move(place));
  place.start_application = [&](std::size_t plan, const std::string& stream) {
    return StartApplicationOf(arguments, plan, stream);
  };
  place.energy = std::make_shared<EnergyMeter>(FindEnergySensors());
  LongRun run(LongRun::Reader::kOfOutput);
  const bool each = request.each && arguments.json && arguments.trace.empty();
  bool told = false;  // then whoever reads that shows how far it is
  place.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    return told ? !run.interrupted() : run.Progress(what, done, total);
  };
  if (each) {
    place.told = [&](const RunAnswer& one) {
      if (!std::exchange(told, true)) run.Clear();
      WriteBytes(RunRecord(one));
    };
  }
  RunAnswer result = RunPlans(request, place);
  run.Clear();
  if (!arguments.trace.empty()) {
    WriteFile(arguments.trace, result.trace);
    result.trace.clear();
  }
  if (each) {
    WriteBytes(RunRecord(WithoutRuns(result)));
  } else {
    outputs.Say(arguments.json ? RunAnswerJson(result) : RunAnswerText(request, result, OutputWidth()));
  }
  if (run.interrupted()) {
    WriteError("tandem-device run: interrupted; this is what was complete by then\n");
    return kExitInterrupted;
  }
  bool wrong = false;
  for (const DeviceRun& one : result.runs) {
    if (!one.complete) {
      WriteError("tandem-device run: " + one.label + ": " + one.failure + "\n");
      return kExitFailed;
    }
    wrong = wrong || one.outputs.wrong > 0;
  }
  return wrong ? kExitNo : kExitDone;
}

void Declare(Command& command, RunArguments& arguments) {
  command.Add("PLAN", &arguments.plans,
              "plans, or a run request; - or nothing: standard input. Several take turns");
  command.Add("--repeat", &arguments.repeat, "so many runs of every plan").Range(1, 100'000);
  command
      .Add("--tries", &arguments.tries,
           "make a run that the machine disturbed again, up to so many times in all (1)")
      .Range(1, 1000);
  command.Add("--trace", &arguments.trace, "write a trace for ui.perfetto.dev to this file");
  command.Flag("--force", &arguments.force,
               "run what was made for another machine, library version or clock state too, and replace "
               "whatever --trace names");
  command.AllowCommands(&arguments.allow_commands);
  command.Flag("--no-check", &arguments.no_check, "do not compare outputs with those of one unit alone");
  command.Add("--sent", &arguments.sent, "models are those that `store` took under this name").Shown("NAME");
  command.Flag("--json", &arguments.json, "print JSON, run-result/1");
  command
      .Add("--application", &arguments.application,
           "be the application of that stream of a plan that nobody manages, beside those of the others: "
           "`run` "
           "starts them so")
      .Shown("N:STREAM");
  command.Footer(
      "Exit status 1 where outputs are wrong, 3 where a run failed, 130 after Ctrl-C, SIGTERM or SIGHUP; "
      "what was complete is "
      "printed.\n"
      "Examples:\n  tandem-device run mine.plan.json --repeat 5\n"
      "  tandem-device run fcfs.plan.json eft.plan.json --repeat 5 --trace runs.json\n"
      "  tandem plan mine.scenario.json -o - | tandem-device run --json");
}

const CommandRegistration kRun{
    {.name = "run", .summary = "execute plans with real kernels and say how long they take", .order = 40},
    Declare,
    Run};

}  // namespace
}  // namespace tandem::run
