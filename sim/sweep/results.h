// What a sweep came to, for people, programs and tables.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/program/outputs.h"
#include "sim/sweep/collected.h"

namespace tandem {

// What it is judged by: its own objective, or its scenario's.
Objective ObjectiveOfSweep(const Sweep& sweep);

// `pareto`: the figures of the front; none: no front. Throws InputError where one is none.
void CheckParetoFigures(const std::vector<std::string>& pareto);

std::string ResultsText(const Sweep& sweep, const CollectedRows& collected,
                        const std::vector<std::string>& pareto, std::size_t width);
std::string ResultsJson(const Sweep& sweep, const CollectedRows& collected,
                        const std::vector<std::string>& pareto);
// What there is to run: keys, points and policies.
std::string RunsJson(const Sweep& sweep, const std::vector<SweepRun>& runs);

// A line per row, in the order of their keys.
inline const OutputKind kResultsCsv{"a table of rows",
                                    [](std::string_view head) { return head.starts_with("key,"); }};
void WriteResultsCsv(const Sweep& sweep, const CollectedRows& collected, const std::filesystem::path& file);

}  // namespace tandem
