// What a trace tells of the draws that its runs were judged by.
#pragma once

#include <vector>

#include "scenarios/report/report.h"
#include "scenarios/trace/trace.h"

namespace tandem {

TraceDraws DrawsForTrace(const std::vector<Report>& reports);

}  // namespace tandem
