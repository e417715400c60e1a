// tandem policies, and `tandem policies list`, which is the same
#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "sim/study/policy_list.h"

namespace tandem::policies {
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

void Declare(Command& command, PoliciesArguments& arguments) {
  const auto markdown =
      command.Flag("--markdown", &arguments.markdown, "print the table of the documentation");
  command.Flag("--json", &arguments.json, "print JSON").Excludes({markdown});
  command.Footer("Examples:\n  tandem policies list\n  tandem policies list --json");
}

const CommandRegistration kPolicies{
    {.name = "policies", .summary = "the policies that a scenario can name, with their rules", .order = 85},
    Declare,
    Run};
const CommandRegistration kPoliciesList{
    {.name = "policies list", .summary = "the same: the policies with their rules"}, Declare, Run};

}  // namespace
}  // namespace tandem::policies
