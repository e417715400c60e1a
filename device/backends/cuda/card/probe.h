// Does code of this build run on that card?
#pragma once

#include <string>

namespace tandem {

// Empty where a kernel ran on card `device` and left the right result, else what went wrong.
std::string ProbeCard(int device);

}  // namespace tandem
