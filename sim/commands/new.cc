// tandem new, the home of what begins a file
#include "profiles/program/command_line.h"

namespace tandem::new_file {
namespace {

const CommandRegistration kNew{
    {.name = "new",
     .summary = "begin a file: a scenario, a board, its profile, a baseline, a sweep",
     .order = 15},
    "What is written is complete, says in its notes what was not known, and passes `tandem check`.\n"
    "Examples:\n  tandem new scenario --table times.csv -o quick.scenario.json\n"
    "  tandem new platform --unit cpu --unit gpu -o board.platform.json\n"
    "  tandem new baseline study-003 -o ci.baseline.json\n"
    "  tandem new sweep overload -o rates.sweep.json"};

}  // namespace
}  // namespace tandem::new_file
