// tandem capacity SCENARIO
#include "sim/questions/capacity.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "sim/commands/capacity_options.h"
#include "sim/commands/html_option.h"
#include "sim/commands/what_if_option.h"

namespace tandem::capacity {
namespace {

struct CapacityArguments {
  std::string scenario;
  std::vector<std::string> what_if;
  CapacityArgumentsOfLimit limit;
  std::string html;
  bool force = false, json = false;
};

int FindMost(const CapacityArguments& arguments) {
  const CapacityOptions options = OptionsOf(arguments.limit);
  const std::vector<Supposed> supposed = AllSupposed(arguments.what_if);
  LongRun watch;
  const ScenarioFile file(arguments.scenario);
  const Outputs outputs({HtmlOutput(arguments.html)}, arguments.force, arguments.json);
  const std::optional<Capacity> capacity = FindCapacity(file, supposed, options, watch);
  watch.Clear();
  if (!capacity) {
    WriteError("tandem: interrupted: no limit is known\n");
    return kExitInterrupted;
  }
  if (!arguments.html.empty()) {
    WriteHtml(arguments.html, PageOf(file.With(supposed, "--what-if"), {CapacityJson(*capacity)}));
  }
  outputs.Say(arguments.json ? CapacityJson(*capacity) : CapacityText(*capacity, OutputWidth()));
  const auto has_limit = [](const PolicyCapacity& of) { return of.limit.value.has_value(); };
  return std::any_of(capacity->policies.begin(), capacity->policies.end(), has_limit) ? kExitDone : kExitNo;
}

void Declare(Command& command, CapacityArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "a scenario: a file, or the name of one that tandem ships")
      .Required();
  AddLimit(command, arguments.limit, true);
  AddWhatIf(command, arguments.what_if);
  AddHtml(command, arguments.html);
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print JSON, capacity/1");
  command.Footer(
      "A path is as --what-if has it, or count(STREAM): so many of that stream and of those that hang on it. "
      "A\ncondition: misses, drops, mean, p50, p90, p95, p99, max (mean to max also as p99_end_to_end, "
      "p99_age),\nmakespan, throughput, utilization, energy, energy_per_inference or power, of all or of one "
      "(streams.NAME.p99,\nunits.NAME.utilization, * for each), several with \"and\".\n"
      "Exit status 1 where the condition holds at no value under any policy.\n"
      "Examples:\n"
      "  tandem capacity overload --policy eft --vary streams.camera.arrival.rate --until 'misses <= 5 %' "
      "--what-if "
      "streams.archive.arrival.rate=5 --what-if streams.clips.arrival.rate=10\n"
      "  tandem capacity study-003 --policy eft --vary units.coral.speed --until 'makespan <= 2.5 s'\n"
      "  tandem capacity study-001 --policy eft --vary 'count(images)' --until 'makespan <= 30 s' --html "
      "images.html");
}

const CommandRegistration kCapacity{
    {.name = "capacity",
     .summary = "the most that a board carries: of what, until what, under each policy",
     .order = 65},
    Declare,
    FindMost};

}  // namespace
}  // namespace tandem::capacity
