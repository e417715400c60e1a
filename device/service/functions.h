// The functions of an application that run stages of a plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/harness/functions.h"
#include "device/service/tandem_device.h"
#include "policies/problem/problem.h"

namespace tandem {

// Per segment of the plan, empty where units have kernels or programs of their own for it. Throws InputError
// where one is missing, or given for what there is not.
std::vector<StageFunction> FunctionsOf(const Problem& problem,
                                       const std::map<std::string, device::StageFunction>& given);

}  // namespace tandem
