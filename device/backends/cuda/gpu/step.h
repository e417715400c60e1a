// The steps of a compiled segment of the GPU backend.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cuda/card.h"
#include "device/lowering/step.h"
#include "device/processor/processor.h"

namespace tandem::gpu {

using GpuAddresses = ValueAddresses<std::byte>;

class GpuStep : public SegmentStep {
 public:
  using SegmentStep::SegmentStep;
  // Gives its work to the stream, which does it when it gets there.
  virtual void Start(CardStream& stream, const GpuAddresses& at) = 0;
};

// A step that is one call of `start(stream, addresses)`.
template <class Starter>
class GpuCallStep final : public GpuStep {
 public:
  GpuCallStep(std::vector<LayerId> layers, std::string how, Starter start)
      : GpuStep(std::move(layers), std::move(how)), start_(std::move(start)) {}
  void Start(CardStream& stream, const GpuAddresses& at) override { start_(stream, at); }

 private:
  Starter start_;
};

}  // namespace tandem::gpu
