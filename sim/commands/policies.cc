// tandem policies
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"
#include "profiles/program/program.h"
#include "sim/commands/command.h"
#include "sim/study/policy_list.h"

namespace tandem {
namespace {

struct PoliciesArguments {
  bool json = false, markdown = false;
};

int Run(const PoliciesArguments& arguments) {
  WriteOutput(arguments.json       ? JsonOutput(PoliciesJson())
              : arguments.markdown ? PoliciesMarkdown()
                                   : PolicyTable(OutputWidth()));
  return kExitDone;
}

}  // namespace

void AddPoliciesCommand(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("policies", "the policies that a scenario can name, with their rules");
  const auto arguments = std::make_shared<PoliciesArguments>();
  command->add_flag("--markdown", arguments->markdown, "print the table of the documentation");
  command->add_flag("--json", arguments->json, "print JSON")->excludes("--markdown");
  command->footer("Examples:\n  tandem policies\n  tandem policies --json");
  command->callback([arguments, &action] { action = [arguments] { return Run(*arguments); }; });
}

}  // namespace tandem
