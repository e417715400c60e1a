// Everything of SimGrid that the rest of the program may see.
#pragma once

#include <string>

namespace tandem {

// "3.32" or "3.32.1": the version of the library that runs, not of the headers it was built with.
std::string SimGridVersion();

}  // namespace tandem
