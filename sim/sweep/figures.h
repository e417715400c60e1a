// The figures of a run that a row of a sweep keeps, by name: all of scenarios/baseline that are numbers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/report/report.h"

namespace tandem {

using RunFigures = std::map<std::string, double>;  // what a run cannot tell is not there

const std::vector<std::string_view>& RunFigureNames();
bool MoreIsBetter(std::string_view figure);
bool NeedsBound(std::string_view figure);
std::string_view RunFigureOf(Objective objective);

RunFigures RunFiguresOf(const Report& report);

// Of those that are drawn, the ends of their intervals; empty where the report has no draws.
using RunIntervals = std::map<std::string, std::vector<double>>;
RunIntervals RunIntervalsOf(const Report& report);
// Of the same, the medians over the draws.
RunFigures RunMediansOf(const Report& report);
// What may have one, by name.
const std::vector<std::string_view>& DrawnFigureNames();

}  // namespace tandem
