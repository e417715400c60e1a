// Timelines of a page: spans in columns, a tenth of the size that they have as events of a trace.
#pragma once

#include <string>

#include "scenarios/trace/read.h"

namespace tandem {

// A JSON list with an object a run: its name and policy, "rows" (slots and copy engines), "streams",
// "segments" ([model, layers]), "kinds", and "spans", a list of numbers for each of their keys.
std::string TimelinesJson(const Trace& trace);

}  // namespace tandem
