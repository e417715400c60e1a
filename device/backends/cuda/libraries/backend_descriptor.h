// One descriptor of cuDNN's graph interface.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tandem::gpu {

class BackendDescriptor {
 public:
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type);  // throws EnvironmentError
  BackendDescriptor(BackendDescriptor&& other) noexcept : it_(std::exchange(other.it_, nullptr)) {}
  BackendDescriptor& operator=(BackendDescriptor&&) = delete;
  ~BackendDescriptor();

  // Throw EnvironmentError where cuDNN does not take it.
  template <class Value>
  void Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const Value& value) {
    SetAll(name, type, 1, &value);
  }
  template <class Value>
  void SetList(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               const std::vector<Value>& values) {
    SetAll(name, type, static_cast<std::int64_t>(values.size()), values.data());
  }
  void SetDescriptor(cudnnBackendAttributeName_t name, const BackendDescriptor& value) {
    Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value.it_);
  }
  void Finalize();

  // How many there are; at most `most` of them are written.
  std::int64_t Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t most,
                   void* values) const;
  cudnnBackendDescriptor_t get() const { return it_; }

 private:
  void SetAll(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
              const void* values);

  cudnnBackendDescriptor_t it_ = nullptr;
};

}  // namespace tandem::gpu
