#include "policies/policy.h"

namespace tandem {

std::unique_ptr<Policy> MakePolicy(const PolicySpec& spec, Problem& problem) {
  return spec.declaration->make(spec, problem);
}

}  // namespace tandem
