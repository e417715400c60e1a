// tandem boards compare SCENARIO BOARD...
#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "sim/commands/capacity_options.h"
#include "sim/commands/objective_option.h"
#include "sim/commands/what_if_option.h"
#include "sim/questions/board_choice.h"

namespace tandem::boards_compare {
namespace {

struct CompareArguments {
  std::string scenario, objective;
  std::vector<std::string> boards, profiles, what_if;
  CapacityArgumentsOfLimit limit;
  bool json = false;
};

BoardChoiceOptions ChoiceOf(const CompareArguments& arguments) {
  BoardChoiceOptions options;
  options.boards = arguments.boards;
  options.profiles = arguments.profiles;
  options.policies = arguments.limit.policies;
  options.objective = arguments.objective;
  options.engine = EngineNamed(arguments.limit.engine);
  options.interval = arguments.limit.interval / 100;
  options.seed = arguments.limit.seed;
  if (arguments.limit.vary.empty() != arguments.limit.until.empty()) {
    throw InputError("--vary and --until belong together: what varies, and what is to hold");
  }
  if (!arguments.limit.vary.empty()) options.capacity = OptionsOf(arguments.limit);
  return options;
}

int CompareThem(const CompareArguments& arguments) {
  const BoardChoiceOptions options = ChoiceOf(arguments);
  const std::vector<Supposed> supposed = AllSupposed(arguments.what_if);
  LongRun watch;
  const auto choice = CompareBoards(arguments.scenario, supposed, options, watch);
  watch.Clear();
  if (!choice) {
    WriteError("tandem: interrupted: no board is judged\n");
    return kExitInterrupted;
  }
  WriteOutput(arguments.json ? BoardChoiceJson(*choice) : BoardChoiceText(*choice, OutputWidth()));
  const auto runs = [](const BoardRow& row) { return row.report.has_value(); };
  return std::any_of(choice->boards.begin(), choice->boards.end(), runs) ? kExitDone : kExitNo;
}

void Declare(Command& command, CompareArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "a scenario: a file, or the name of one that tandem ships")
      .Required();
  command.Add("BOARD", &arguments.boards, "platforms: files, or names of boards that tandem ships")
      .Required();
  command
      .Add("--profiles", &arguments.profiles,
           "of any of these boards, in place of what is shipped or stands beside the platform")
      .Separated(',')
      .OneWord();
  AddObjective(command, arguments.objective);
  AddLimit(command, arguments.limit, false);
  AddWhatIf(command, arguments.what_if);
  command.Flag("--json", &arguments.json, "print JSON, board_choice/1");
  command.Footer(
      "A board's price is its platform's \"price\", its watts come from \"idle_w\" and \"busy_w\" of its "
      "units. "
      "Policies\nand keys that name units which a board has not are left out there, and that is said.\n"
      "Exit status 1 where no board can run the scenario.\n"
      "Examples:\n  tandem boards compare study-001 exynos5422 jetson-tk1 zcu102 --policy fcfs,eft\n"
      "  tandem boards compare study-001 exynos5422 jetson-tk1 --policy eft --vary 'streams.*.count' --until "
      "'makespan <= 5 s'");
}

const CommandRegistration kBoardsCompare{
    {.name = "boards compare",
     .summary = "one scenario on several boards: figures, price, watts, and what each carries",
     .order = 20},
    Declare,
    CompareThem};

}  // namespace
}  // namespace tandem::boards_compare
