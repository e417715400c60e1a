// Parts of a card whose work takes none of each other's multiprocessors: green contexts, which drivers make
// from CUDA 12.5 on. Its memory, what brings it and what keeps it near stay the whole card's.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

namespace tandem::gpu {

// A stream of the part, of that priority; non-blocking.
using PartStreams = std::function<cudaStream_t(int priority)>;

// The most multiprocessors that each of `parts` equal parts can have; `groups_of` tells how many groups of at
// least so many the driver would make. 0: it makes so many of no size.
int LargestPart(int multiprocessors, int parts, const std::function<int(int least)>& groups_of);

// The driver's call of that name; null: it has none. Throws EnvironmentError where there is no driver.
using FindDriverCall = std::function<void*(const char* name)>;
void* DriverCall(const char* name);

// Of card `device`, which is in use, for the life of the program. Throws EnvironmentError that says what is
// lacking.
std::vector<std::shared_ptr<const PartStreams>> MakeParts(int device, int parts,
                                                          const FindDriverCall& find = DriverCall);

}  // namespace tandem::gpu
