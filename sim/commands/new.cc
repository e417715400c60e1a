// tandem new, the home of what begins a file
#include "profiles/program/command_line.h"

namespace tandem::new_file {
namespace {

const CommandRegistration kNew{{.name = "new", .summary = "begin a file: a baseline, a sweep", .order = 15},
                               "Examples:\n  tandem new baseline study-003 -o ci.baseline.json\n  tandem new "
                               "sweep overload -o rates.sweep.json"};

}  // namespace
}  // namespace tandem::new_file
