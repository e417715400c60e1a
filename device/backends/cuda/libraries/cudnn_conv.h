// Convolutions by cuDNN's own calls, those that versions 8 and 9 both have.
#pragma once

#include <cudnn.h>

#include <string>
#include <vector>

#include "device/backends/cuda/card.h"
#include "device/backends/cuda/libraries/cudnn_descriptors.h"

namespace tandem::gpu {

// A cuDNN handle on one stream.
class CudnnHandle {
 public:
  explicit CudnnHandle(cudaStream_t stream);  // on the current device; throws EnvironmentError
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  void SetStream(cudaStream_t stream);
  cudnnHandle_t get() const { return handle_; }

 private:
  cudnnHandle_t handle_ = nullptr;
};

// What a stream runs: every convolution of a CudaCard is one.
class CudnnWay : public Conv {
 public:
  // Throws EnvironmentError, where cuDNN lists a way that it does not have too.
  virtual void Run(cudnnHandle_t handle, const ConvArguments& arguments) const = 0;
};

class CudnnConv final : public CudnnWay {
 public:
  CudnnConv(const CardConv& problem, const ConvWay& way);
  void Run(cudnnHandle_t handle, const ConvArguments& arguments) const override;

 private:
  void RunFused(cudnnHandle_t handle, const ConvArguments& arguments) const;

  CardConv problem_;
  ConvWay way_;
  ConvDescriptors descriptors_;
};

// Those that cuDNN lists, that give the same result every time and that fit, in its order; which of them it
// really has shows when they are run.
std::vector<ConvWay> ListedWays(cudnnHandle_t handle, const CardConv& problem, std::size_t most_workspace);

// Can one call of the way do what the problem wants beside the convolution?
bool CanFuse(const CardConv& problem, cudnnConvolutionFwdAlgo_t algorithm);

}  // namespace tandem::gpu
