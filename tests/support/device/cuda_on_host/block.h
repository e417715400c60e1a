// The threads of a block of a kernel, one after the other on the host. A thread that waits for others hands
// over to them (a fiber each); kernels that never wait run all their threads in one fiber.
#pragma once

#include <functional>

namespace tandem::cuda_on_host {

struct Place {
  unsigned x = 0, y = 0, z = 0;
};

constexpr unsigned kWarp = 32;

// Runs `thread` once for each thread of a block of this extent, with threadIdx set.
void RunBlock(const Place& extent, const std::function<void()>& thread);

// Called by a thread of the running block.
void MeetBlock();
void MeetWarp();
// Gives `word` to the warp, takes that of `lane`.
unsigned Exchange(unsigned word, unsigned lane);
unsigned Lane();

}  // namespace tandem::cuda_on_host

inline thread_local tandem::cuda_on_host::Place threadIdx, blockIdx, blockDim, gridDim;
