#include "profiles/costs/backend.h"

namespace tandem {
namespace {

const BackendDeclared kReference{{.name = "reference",
                                  .summary = "one core, plain loops; slow, and the yardstick for all others",
                                  .runs_on = RunsOn::kHostCores,
                                  .yardstick = true}};

}  // namespace
}  // namespace tandem
