#include "tests/support/device/cuda_on_host/host_kernels.h"

#include "device/backends/cuda/kernels/index.h"

namespace tandem::gpu {

const KernelTable& HostKernels() { return on_host::kKernels; }

std::uint32_t DivideAsKernels(std::uint32_t a, std::uint32_t by) {
  return on_host::Divider<std::uint32_t>(by).Divide(a);
}

}  // namespace tandem::gpu
