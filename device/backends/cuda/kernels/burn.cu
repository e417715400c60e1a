#include "device/backends/cuda/kernels/launch.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

// Each number is read and written, or the sums would be left out.
__global__ void __launch_bounds__(kThreads) BurnKernel(BurnCall call) {
  float& value = call.values[blockIdx.x * kThreads + threadIdx.x];
  float sum = value;
  for (std::int64_t round = 0; round < call.rounds; ++round) sum += 1;
  value = sum;
}

}  // namespace

int RunBurn(const BurnCall& call, void* stream) {
  return Launch(BurnKernel, call.blocks, kThreads, stream, call);
}

}  // namespace tandem::gpu::TANDEM_KERNELS
