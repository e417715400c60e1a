// SimGrid's own physics in place of tandem's integers: units are hosts, memories, hubs and links are links of
// a network, a copy is a flow over what it crosses, a task whose traffic is known is work and a flow from its
// memory. What meets shares by SimGrid's max-min solver. Inside the library that LoadSimGrid loads.
#pragma once

#include "policies/engine/dispatcher.h"

namespace tandem {

// Steps end when their work and their flow have; at whole nanoseconds, rounded up.
Outcome RunFluid(const Problem& problem, Policy& policy, const RunOptions& options);

}  // namespace tandem
