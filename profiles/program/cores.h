// How many cores this process may use side by side.
#pragma once

#include <cstddef>

namespace tandem {

// One at least.
std::size_t CoresToUse();
// From now on it is one: others do the same beside it.
void UseOneCore();

}  // namespace tandem
