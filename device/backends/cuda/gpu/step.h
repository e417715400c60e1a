// The parts of a compiled segment: where its tensors lie, and the steps between them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cuda/card.h"
#include "device/lowering/memory_plan.h"
#include "device/processor/processor.h"

namespace tandem::gpu {

// Where every value lies while a segment runs; by ValueId.
class GpuAddresses {
 public:
  std::byte* operator[](ValueId id) const { return at_[id.index()]; }
  void Set(ValueId id, std::byte* address) { at_[id.index()] = address; }
  void Resize(std::size_t count) { at_.resize(count); }

 private:
  std::vector<std::byte*> at_;
};

class GpuStep {
 public:
  GpuStep(std::vector<LayerId> layers, std::string how) : layers_(std::move(layers)), how_(std::move(how)) {}
  virtual ~GpuStep() = default;
  // Gives its work to the stream, which does it when it gets there.
  virtual void Start(CardStream& stream, const GpuAddresses& at) = 0;

  const std::vector<LayerId>& layers() const { return layers_; }
  const std::string& how() const { return how_; }

 private:
  std::vector<LayerId> layers_;
  std::string how_;
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
