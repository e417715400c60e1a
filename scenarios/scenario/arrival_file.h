// Arrival times as a text file: one time in microseconds a line, '#' opens a comment; perf_analyzer's
// --request-intervals are such lines, as gaps. Or as JSON: what the tools around it take for
// --fixed-schedule, an object a line with "timestamp" in milliseconds, or one object with a list of these as
// "data".
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// Ascending times; with `intervals` the lines are gaps, the first one from time 0. Throws InputError with
// file and line.
std::vector<Nanos> ReadTraceFile(const std::filesystem::path& path, bool intervals);

// The same for those tools: gaps in whole microseconds, and a line {"timestamp": 33} in whole milliseconds
// each. A date is off by half of that at most, however many come before it.
std::string IntervalsText(std::span<const Nanos> times);
std::string FixedScheduleText(std::span<const Nanos> times);

}  // namespace tandem
