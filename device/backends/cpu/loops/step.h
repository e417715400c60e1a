// The steps of a compiled segment of the backend cpu, and the layouts of the tensors between them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/lowering/step.h"
#include "device/processor/processor.h"

namespace tandem {

// For images (four axes) alone: kBlocked: channels in blocks of `Blocking` that lie together, the last one
// filled up with zeros. kLast: the channels of a position lie together. kBytes: the same, as whole numbers of
// a byte; of other tensors in plain order.
enum class Layout : std::uint8_t { kPlain, kBlocked, kLast, kBytes };

using Addresses = ValueAddresses<float>;

class CpuStep : public SegmentStep {
 public:
  using SegmentStep::SegmentStep;
  // Called once, when every address that stays is known (those of inputs and outputs change).
  virtual void Bind(const Addresses&) {}
  virtual void Run(const Addresses& at) = 0;
  virtual std::int64_t Bytes() const { return 0; }  // of packed weights
};

// A step that is one call of `kernel(addresses)`.
template <class Kernel>
class KernelStep final : public CpuStep {
 public:
  KernelStep(std::vector<LayerId> layers, std::string how, Kernel kernel, std::int64_t bytes)
      : CpuStep(std::move(layers), std::move(how)), kernel_(std::move(kernel)), bytes_(bytes) {}
  void Run(const Addresses& at) override { kernel_(at); }
  std::int64_t Bytes() const override { return bytes_; }

 private:
  Kernel kernel_;
  std::int64_t bytes_;
};

// Fp32 numbers, uninitialised: on a cache line's border, and where they are many on one of large pages, of
// which the processor can look up all at once: weights are read at twice the rate.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t count);
  float* data() const { return values_.get(); }
  std::size_t size() const { return count_; }

 private:
  struct Release {
    void operator()(float* values) const;
  };
  std::size_t count_ = 0;
  std::unique_ptr<float, Release> values_;
};

}  // namespace tandem
