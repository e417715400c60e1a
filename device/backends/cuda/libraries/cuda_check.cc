#include "device/backends/cuda/libraries/cuda_check.h"

#include <new>

#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

// After these the context on the card is gone, and with it all memory and all streams.
bool BreaksContext(cudaError_t error) {
  switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string CudaErrorText(const std::string& what, cudaError_t error) {
  std::string text = what + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  if (BreaksContext(error)) {
    text += "; nothing works on the card from here on: start the program anew";
  }
  return text;
}

void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();
  if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
  throw EnvironmentError(CudaErrorText(what, error));
}

}  // namespace tandem::gpu
