// A convolution and what is done with its result, as a graph of cuDNN's operations: one of its engines
// computes all of it in one go.
#pragma once

#include <cstdint>
#include <vector>

#include "device/backends/cuda/card.h"
#include "device/backends/cuda/libraries/backend_descriptor.h"

namespace tandem::gpu {

// What the graph's tensors are called when their addresses are told.
enum class GraphTensor : std::int64_t { kX = 1, kWeight, kAdded, kBias, kY };

class ConvGraph {
 public:
  // Throws EnvironmentError where cuDNN does not take it. Transposed ones do nothing but convolve.
  ConvGraph(cudnnHandle_t handle, const CardConv& problem);

  const BackendDescriptor& graph() const { return parts_.back(); }

 private:
  struct Sizes {
    std::int64_t n, c, h, w;
  };
  // Places in parts_.
  std::size_t Tensor(std::int64_t id, const Sizes& sizes, cudnnDataType_t type, bool passing);
  std::size_t Passing();  // a result that is not kept
  std::size_t Described();
  std::size_t Convolve(std::size_t x, std::size_t weight, std::size_t y);
  std::size_t Pointwise(cudnnPointwiseMode_t mode, std::size_t x, const std::size_t* other, std::size_t y);
  void Join(cudnnHandle_t handle, const std::vector<std::size_t>& operations);

  const CardConv problem_;
  std::vector<BackendDescriptor> parts_;
  std::int64_t passing_;
};

}  // namespace tandem::gpu
