// What is called of cuDNN 8 and 9, found by name when it is first wanted.
#pragma once

#include <cudnn.h>

#include <string>

#include "device/backends/cuda/libraries/loaded_library.h"

namespace tandem::gpu {

#define TANDEM_CUDNN_COMMON(F)                   \
  F(GetVersion)                                  \
  F(GetErrorString)                              \
  F(Create)                                      \
  F(Destroy)                                     \
  F(SetStream)                                   \
  F(CreateTensorDescriptor)                      \
  F(DestroyTensorDescriptor)                     \
  F(SetTensor4dDescriptor)                       \
  F(CreateFilterDescriptor)                      \
  F(DestroyFilterDescriptor)                     \
  F(SetFilter4dDescriptor)                       \
  F(CreateActivationDescriptor)                  \
  F(DestroyActivationDescriptor)                 \
  F(SetActivationDescriptor)                     \
  F(CreateConvolutionDescriptor)                 \
  F(DestroyConvolutionDescriptor)                \
  F(SetConvolution2dDescriptor)                  \
  F(SetConvolutionGroupCount)                    \
  F(SetConvolutionMathType)                      \
  F(GetConvolutionForwardAlgorithmMaxCount)      \
  F(GetConvolutionForwardAlgorithm_v7)           \
  F(GetConvolutionForwardWorkspaceSize)          \
  F(ConvolutionForward)                          \
  F(ConvolutionBiasActivationForward)            \
  F(GetConvolutionBackwardDataAlgorithmMaxCount) \
  F(GetConvolutionBackwardDataAlgorithm_v7)      \
  F(GetConvolutionBackwardDataWorkspaceSize)     \
  F(ConvolutionBackwardData)                     \
  F(BackendCreateDescriptor)                     \
  F(BackendDestroyDescriptor)                    \
  F(BackendSetAttribute)                         \
  F(BackendGetAttribute)                         \
  F(BackendFinalize)                             \
  F(BackendExecute)
#if CUDNN_MAJOR >= 9
#define TANDEM_CUDNN_FUNCTIONS(F) TANDEM_CUDNN_COMMON(F) F(GetLastErrorString)
#else
#define TANDEM_CUDNN_FUNCTIONS(F) TANDEM_CUDNN_COMMON(F)
#endif

struct CudnnFunctions {
#define TANDEM_MEMBER(name) decltype(&::cudnn##name) name = nullptr;
  TANDEM_CUDNN_FUNCTIONS(TANDEM_MEMBER)
#undef TANDEM_MEMBER
  std::string trouble;  // why it cannot be used; empty where it can
};

// What there is, with `trouble` where it cannot be used.
const CudnnFunctions& LookForCudnn();
// Throws EnvironmentError where it cannot be used.
const CudnnFunctions& Cudnn();

// Throws std::bad_alloc where memory ran out, else EnvironmentError with what cuDNN says.
void CheckCudnn(cudnnStatus_t status, const std::string& what);

}  // namespace tandem::gpu
