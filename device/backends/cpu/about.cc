#include "profiles/costs/backend.h"

namespace tandem {
namespace {

const BackendDeclared kCpu{
    {.name = "cpu",
     .summary = "some cores, one thread pinned to each; oneDNN's kernels, and XNNPACK's",
     .cores = KeyUse::kNeeded,
     .runs_on = RunsOn::kHostCores,
     .precisions = {"fp32", "int8"},
     .loads = "cores of a unit"}};

}  // namespace
}  // namespace tandem
