// MLPerf LoadGen's scenarios as arrivals: which keys they take, what they mean and what is left out means.
#pragma once

#include <string>

#include "profiles/base/json_reader.h"
#include "scenarios/arrivals/stream.h"

namespace tandem {

// `arrival` is the stream's "arrival" object. Defaults are those of the mlperf.conf that LoadGen publishes.
void ReadLoadgen(const JsonReader& arrival, LoadgenScenario scenario, const std::string& model,
                 Stream& stream);

}  // namespace tandem
