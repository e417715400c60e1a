// Arrival times as a text file: one time in microseconds a line, '#' opens a comment.
#pragma once

#include <filesystem>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// Ascending times; with `intervals` the lines are gaps, the first one from time 0. Throws InputError with
// file and line.
std::vector<Nanos> ReadTraceFile(const std::filesystem::path& path, bool intervals);

}  // namespace tandem
