#include "device/backends/cuda/kernels/kernels.h"

namespace tandem::gpu {

const KernelTable& CardKernels() { return on_card::kKernels; }

}  // namespace tandem::gpu
