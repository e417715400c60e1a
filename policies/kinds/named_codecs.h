// How policies' keys name what the scenario has.
#pragma once

#include <vector>

#include "profiles/base/codecs.h"
#include "scenarios/scenario/policy_keys.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

inline const Scenario& ScenarioOf(Context context) { return *context.As<PolicyContext>().scenario; }

}  // namespace tandem

namespace tandem::as {

// Invalid without a platform; it is not written then.
CodecOf<UnitId> UnitNamed();

// One unit at least, none twice: `few` and `twice` (* being the unit) are the messages. An empty list is not
// written.
CodecOf<std::vector<UnitId>> UnitsNamed(std::string_view few, std::string_view twice);

}  // namespace tandem::as
