#include "tests/device/cuda_on_host/host_kernels.h"

#include "device/backends/cuda/kernels.h"

namespace tandem::gpu {

const KernelTable& HostKernels() { return on_host::kKernels; }

}  // namespace tandem::gpu
