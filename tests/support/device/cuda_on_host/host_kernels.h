// The kernels of the cuda backend, compiled for the host: they run when they are called, and the stream is
// not looked at.
#pragma once

#include "device/backends/cuda/kernel_calls.h"

namespace tandem::gpu {

const KernelTable& HostKernels();

// a / by as the kernels divide below 2^31.
std::uint32_t DivideAsKernels(std::uint32_t a, std::uint32_t by);

}  // namespace tandem::gpu
