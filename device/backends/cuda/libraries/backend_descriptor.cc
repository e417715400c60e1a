#include "device/backends/cuda/libraries/backend_descriptor.h"

#include "device/backends/cuda/libraries/cudnn_functions.h"

namespace tandem::gpu {
namespace {

constexpr const char* kDescribing = "describing a graph of operations to cuDNN";

}  // namespace

BackendDescriptor::BackendDescriptor(cudnnBackendDescriptorType_t type) {
  CheckCudnn(Cudnn().BackendCreateDescriptor(type, &it_), kDescribing);
}

BackendDescriptor::~BackendDescriptor() {
  if (it_ != nullptr) Cudnn().BackendDestroyDescriptor(it_);
}

void BackendDescriptor::SetAll(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                               std::int64_t count, const void* values) {
  CheckCudnn(Cudnn().BackendSetAttribute(it_, name, type, count, values), kDescribing);
}

void BackendDescriptor::Finalize() { CheckCudnn(Cudnn().BackendFinalize(it_), kDescribing); }

std::int64_t BackendDescriptor::Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                    std::int64_t most, void* values) const {
  std::int64_t count = 0;
  CheckCudnn(Cudnn().BackendGetAttribute(it_, name, type, most, &count, values),
             "asking cuDNN about a graph of operations");
  return count;
}

}  // namespace tandem::gpu
