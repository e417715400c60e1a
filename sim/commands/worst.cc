// tandem worst SCENARIO
#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/what_if_option.h"
#include "sim/questions/worst_case.h"

namespace tandem::worst {
namespace {

struct WorstArguments {
  std::string scenario, engine = "virtual";
  std::vector<std::string> policies, what_if;
  double longer = 1;
  bool probability = false, json = false;
};

int FindWorst(const WorstArguments& arguments) {
  const LoadedScenario loaded = LoadSupposed(arguments.scenario, arguments.what_if);
  const Scenario& scenario = loaded.scenario;
  LongRun watch;
  const auto cases =
      FindWorstCases(scenario, ChoosePolicies(scenario, arguments.policies),
                     {EngineNamed(arguments.engine), arguments.longer, arguments.probability}, watch);
  watch.Clear();
  if (!cases) {
    WriteError("tandem: interrupted: nothing is proved\n");
    return kExitInterrupted;
  }
  const Outputs outputs({}, false, arguments.json);
  outputs.Say(arguments.json ? WorstCasesJson(*cases) : WorstCasesText(*cases, OutputWidth()));
  const auto keeps = [](const PolicyWorstCase& policy) { return policy.KeepsAllDeadlines(); };
  return std::any_of(cases->policies.begin(), cases->policies.end(), keeps) ? kExitDone : kExitNo;
}

void Declare(Command& command, WorstArguments& arguments) {
  constexpr double kLongest = 1000;
  command.Add("SCENARIO", &arguments.scenario, "a scenario: a file, or the name of one that tandem ships")
      .Required();
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenario's, or any policies: fcfs,priority")
      .Separated(',');
  command
      .Add("--longer", &arguments.longer,
           "prove it of tasks that take so many times what the profiles say (1)")
      .RealRange(1.0, kLongest)
      .Shown("FACTOR");
  command.Flag("--probability", &arguments.probability,
               "also how likely a request misses its deadline at most, by the profile's samples");
  AddExactEngine(command, arguments.engine);
  AddWhatIf(command, arguments.what_if);
  command.Flag("--json", &arguments.json, "print JSON, worst/1");
  command.Footer(
      "It is proved where one unit runs a stream, in an order that is fixed by stream (priority with a rank, "
      "single,\naffinity), and where what comes before it arrives by a period or all at once; else it is "
      "said why "
      "not.\nExit status 1 where under no policy all deadlines are proved to be kept.\n"
      "Examples:\n"
      "  tandem worst late-brake --policy priority\n"
      "  tandem worst late-brake --policy priority --longer 1.05 --json\n"
      "  tandem worst critical-brake --probability");
}

const CommandRegistration kWorst{
    {.name = "worst",
     .summary = "how long requests take at most, proved, and which deadlines they keep",
     .order = 66},
    Declare,
    FindWorst};

}  // namespace
}  // namespace tandem::worst
