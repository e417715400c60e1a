// Which libraries a result was made with, as Origin::libraries has it.
#pragma once

#include <map>
#include <string>

#include "profiles/costs/platform.h"

namespace tandem {

// {"oneDNN": "2.6.3", "tandem": "0.4.0"}: those of the backends that units of the platform name.
std::map<std::string, std::string> LibrariesOf(const Platform& platform);

// The moment, as Origin::date has it: "2026-11-20T09:15:00Z".
std::string DateNow();

}  // namespace tandem
