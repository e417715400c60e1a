#include "profiles/costs/backend.h"

namespace tandem {
namespace {

const BackendDeclared kCuda{{.name = "cuda",
                             .summary = "an NVIDIA GPU; cuDNN's and cuBLAS's kernels",
                             .cores = KeyUse::kRefused,
                             .device = KeyUse::kNeeded,
                             .runs_on = RunsOn::kNvidiaCard,
                             .precisions = {"fp32", "tf32", "fp16"},
                             .loads = "cards",
                             .heeds_urgency = true}};

}  // namespace
}  // namespace tandem
