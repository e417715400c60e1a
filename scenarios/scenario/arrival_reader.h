// Reads how the requests of a stream arrive and for how long: the keys "arrival", "count" and "duration_ms".
#pragma once

#include <string>

#include "profiles/base/json_reader.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

inline constexpr std::int64_t kMostRequests = std::int64_t{1} << 31;

// Fills in arrival, until, loadgen and what LoadGen's rules imply. `model` is the stream's, as written: some
// of LoadGen's limits are a model's own.
void ReadArrival(const JsonReader& stream_value, Rules rules, const std::string& model, Stream& stream);

// A decimal number from a file times 10^decimals, exactly; more decimals are an error.
std::int64_t ReadScaled(const JsonReader& value, int decimals, double least, double most);

}  // namespace tandem
