// How policies' keys name what the scenario has.
#pragma once

#include <vector>

#include "profiles/base/codecs.h"
#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/policy_keys.h"
#include "scenarios/scenario/scenario.h"

namespace tandem::as {

// One unit at least, none twice: `few` and `twice` (* being the unit) are the messages. An empty list is not
// written.
CodecOf<std::vector<UnitId>> UnitsNamed(std::string_view few, std::string_view twice);

}  // namespace tandem::as
