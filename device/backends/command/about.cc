#include "profiles/costs/backend.h"

namespace tandem {
namespace {

const BackendDeclared kCommand{{.name = "command",
                                .summary = "whatever a program of yours drives",
                                .command = KeyUse::kNeeded,
                                .takes_inputs = false}};

}  // namespace
}  // namespace tandem
