// Why a figure moved: the difference of where the time went, then and now, in a sentence per kind of place.
#pragma once

#include <string>

#include "sim/regress/run_again.h"

namespace tandem {

// "stream \"b\" takes 3.2 ms longer a request (+12.1 %); npu has 35 tasks of resnet50 instead of 20, ...".
std::string WhyMoved(const BaselineCase& before, const PolicyRun& after);

}  // namespace tandem
