// cuBLAS on one stream.
#pragma once

#include <cublas_v2.h>

#include <memory>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

class CublasHandle {
 public:
  // On the current device. Has its workspace from here on, so that nothing is allocated during a run and what
  // is given while a stream is captured can be noted. Throws EnvironmentError, std::bad_alloc.
  explicit CublasHandle(cudaStream_t stream);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  void SetStream(cudaStream_t stream);
  void Run(const GemmCall& call) const;

 private:
  cublasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace tandem::gpu
