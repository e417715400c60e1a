// From what ran on a card to the time of each layer in each inference, by the NVTX ranges that its launches
// were in; and a refusal of all that is not certain.
#pragma once

#include <string>

#include "profiles/dumps/dump.h"
#include "profiles/dumps/nsys/export.h"

namespace tandem::nsys {

// A row per range of a name that was asked for: the sum of what was launched in it ran on the card, a sample
// per inference. A sum, and not from the first start to the last end: between two kernels of a layer the card
// waits for the program, which the profiler itself makes slower. From an inference's first start to its last
// end is `end_to_end`. Throws InputError.
ProfileDump LayerTimes(const Database& database, const std::string& file, const DumpQuestion& asked);

}  // namespace tandem::nsys
