// Whether a sweep can be run: every value of it makes a right scenario.
#pragma once

#include <string>

#include "profiles/base/json_reader.h"

namespace tandem {

// Throws InputError; else what `tandem check` says of it: "2 axes, 15 points, 2 policies, 30 runs".
std::string JudgeSweep(const JsonReader& root);

}  // namespace tandem
