// What calls of the CUDA runtime say, as errors of the program.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace tandem::gpu {

// "copying: an illegal memory access was encountered (cudaErrorIllegalAddress); ..."; where every later call
// in this program fails too, that is said.
std::string CudaErrorText(const std::string& what, cudaError_t error);

// `what` was tried. Throws std::bad_alloc where memory ran out, EnvironmentError for anything else that is
// wrong, and leaves no error behind for the next call to find.
void Check(cudaError_t error, const char* what);

}  // namespace tandem::gpu
