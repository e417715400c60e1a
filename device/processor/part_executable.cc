#include "device/processor/part_executable.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "device/processor/buffer.h"

namespace tandem {
namespace {

constexpr std::size_t kFloatsPerLine = 16;

class PartExecutable final : public Executable {
 public:
  PartExecutable(Processor& processor, PartModel part, const TensorBlock& block)
      : processor_(&processor), part_(std::move(part)), block_(block), inner_(processor.Compile(part_.spec)) {
    reads_.resize(part_.offsets.size());
    // Kernels write to the beginning of a cache line, one run after the other.
    in_place_ = block.Dense() && block.first % kFloatsPerLine == 0;
    if (!in_place_ && inner_->Computes()) made_ = Buffer(block.size(), processor.memory());
  }

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    float* to = Aim(inputs, outputs);
    inner_->Run(reads_, {&to, 1});
    Merge(outputs[0]);
  }
  std::vector<ExecutionStep> Steps() const override {
    std::vector<ExecutionStep> steps = inner_->Steps();
    for (ExecutionStep& step : steps) {
      for (LayerId& id : step.layers) id = part_.layers[id.index()];
      std::erase_if(step.layers, [](LayerId id) { return !id.valid(); });
    }
    if (!in_place_) steps.push_back({{}, "to its place"});
    return steps;
  }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    float* to = Aim(inputs, outputs);
    inner_->RunTimed(reads_, {&to, 1}, in_place_ ? ends : ends.first(ends.size() - 1));
    Merge(outputs[0]);
    if (in_place_) return;
    ends.back() = std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
  }
  std::int64_t Bytes() const override {
    return inner_->Bytes() + static_cast<std::int64_t>(made_.size() * sizeof(float));
  }
  std::string OutputHash() const override { return inner_->OutputHash(); }
  bool Computes() const override { return inner_->Computes(); }
  ChosenKernels Kernels() const override { return inner_->Kernels(); }

 private:
  float* Aim(std::span<const float* const> inputs, std::span<float* const> outputs) {
    for (std::size_t i = 0; i < reads_.size(); ++i) reads_[i] = inputs[i] + part_.offsets[i];
    return in_place_ ? outputs[0] + block_.first : made_.data();
  }
  void Merge(float* whole) {
    if (in_place_ || made_.size() == 0) return;
    processor_->Spread(whole, made_.data(), block_);
  }

  Processor* processor_;
  PartModel part_;
  TensorBlock block_;
  std::unique_ptr<Executable> inner_;
  std::vector<const float*> reads_;
  Buffer made_;
  bool in_place_ = false;
};

}  // namespace

std::unique_ptr<Executable> CompilePart(Processor& processor, const SegmentSpec& whole,
                                        const LayerPart& part) {
  PartModel small = PartModelOf(whole, part);
  small.spec.takes = whole.takes;
  small.spec.kernels = whole.kernels;
  small.spec.problems = whole.problems;
  const TensorBlock block = BlockOf(whole.model->layer(whole.outputs[0]).output, part);
  return std::make_unique<PartExecutable>(processor, std::move(small), block);
}

}  // namespace tandem
