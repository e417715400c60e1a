#include "device/backends/cuda/card/probe.h"

#include <cuda_runtime.h>

namespace tandem {
namespace {

constexpr int kThreads = 32;

__global__ void Square(int* values) {
  const int i = static_cast<int>(threadIdx.x);
  values[i] = i * i;
}

cudaError_t RunSquare(int* on_card, int* values) {
  Square<<<1, kThreads>>>(on_card);
  const cudaError_t error = cudaGetLastError();  // no code for this card is told here
  if (error != cudaSuccess) return error;
  return cudaMemcpy(values, on_card, kThreads * sizeof(int), cudaMemcpyDeviceToHost);
}

}  // namespace

std::string ProbeCard(int device) {
  int* on_card = nullptr;
  int values[kThreads] = {};
  cudaError_t error = cudaSetDevice(device);
  if (error == cudaSuccess) error = cudaMalloc(reinterpret_cast<void**>(&on_card), sizeof values);
  if (error == cudaSuccess) {
    error = RunSquare(on_card, values);
    cudaFree(on_card);
  }
  if (error == cudaErrorNoKernelImageForDevice) {
    return "this build holds no code for it: build with -DCMAKE_CUDA_ARCHITECTURES=native (CMake 3.24 or "
           "newer)";
  }
  if (error != cudaSuccess) return cudaGetErrorString(error);
  for (int i = 0; i < kThreads; ++i) {
    if (values[i] != i * i) return "a kernel left a wrong result";
  }
  return {};
}

}  // namespace tandem
