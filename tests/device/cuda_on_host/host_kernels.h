// The kernels of the cuda backend, compiled for the host: they run when they are called, and the stream is
// not looked at.
#pragma once

#include "device/backends/cuda/kernel_calls.h"

namespace tandem::gpu {

const KernelTable& HostKernels();

}  // namespace tandem::gpu
