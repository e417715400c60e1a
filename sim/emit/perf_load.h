// The requests of a scenario as NVIDIA's perf_analyzer sends them.
#pragma once

#include <string>
#include <vector>

#include "sim/emit/emitter.h"

namespace tandem {

// perf/STREAM.intervals and perf/STREAM.jsonl of each stream that comes by the clock, and perf/run.sh.
// `served`: per cut the name of its model on the server; empty: it is not there.
void AddPerfLoad(const Deployment& deployment, const std::vector<std::string>& served, Emitted& emitted);

}  // namespace tandem
