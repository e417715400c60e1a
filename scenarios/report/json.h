// Reports as `tandem simulate --json` prints them: file kind "report/1", a list with one object per policy.
#pragma once

#include <string>
#include <vector>

#include "scenarios/report/report.h"

namespace tandem {

std::string ReportJson(const Report& report);  // one object, without a newline at its end
std::string ReportsJson(const std::vector<Report>& reports);

}  // namespace tandem
