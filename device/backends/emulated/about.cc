#include "profiles/costs/backend.h"

namespace tandem {
namespace {

const BackendDeclared kEmulated{{.name = "emulated",
                                 .summary = "a processor that is not here: waits as long as a profile says",
                                 .runs_on = RunsOn::kNothing,
                                 .takes_inputs = false}};

}  // namespace
}  // namespace tandem
