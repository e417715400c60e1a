// Room device/backends/cuda/gpu: segments on a card, in plain C++ above the seam.
//
// The assembler of the GPU backend: tensors fp32 or half, channels first or last, in a memory plan of bytes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cuda/gpu/context.h"
#include "device/backends/cuda/gpu/form.h"
#include "device/backends/cuda/gpu/step.h"
#include "device/backends/cuda/gpu/weights.h"
#include "device/lowering/assembler.h"

namespace tandem::gpu {

struct GpuProgram : SegmentProgram<GpuStep> {
  GpuProgram(const SegmentSpec& of, std::shared_ptr<GpuContext> with, Format images);

  std::shared_ptr<GpuContext> context;
  Format format;
  GpuWeights constants;
  ValueId workspace;  // of all steps: they run one after the other
  std::size_t workspace_bytes = 0;
};

class GpuAssembler final : public SegmentAssembler<GpuProgram, GpuTensor> {
 public:
  // Images inside the segment lie in `format` where it is for this assembler to say.
  GpuAssembler(const SegmentSpec& spec, std::shared_ptr<GpuContext> context, Format format);

  GpuContext& context() const { return *program_.context; }
  GpuWeights& constants() { return program_.constants; }
  // What convolutions and products want.
  GpuForm product_form() const { return {context().element(), program_.format}; }

  GpuForm Simplest(const Shape& shape, GpuForm form) const override;
  using SegmentAssembler::NewValue;
  ValueId NewValue(const Shape& shape, Element element) { return NewValue(shape, GpuForm{element}); }

  // A form in which all of `ids` are wanted by an operation that does not care: that of the first, half where
  // one of them is, channels last where one of them has them.
  GpuForm CommonForm(std::span<const LayerId> ids) const;

  template <class Starter>
  void AddStep(std::vector<LayerId> layers, std::string how, std::vector<ValueId> uses, Starter start) {
    Add(std::make_unique<GpuCallStep<Starter>>(std::move(layers), std::move(how), std::move(start)), uses);
  }
  // A call that reads `x` and writes `y`, from some byte on.
  template <class Call>
  void AddCall(std::vector<LayerId> layers, std::string how, const Call& call, ValueId x, ValueId y,
               std::int64_t x_at = 0, std::int64_t y_at = 0) {
    AddStep(std::move(layers), std::move(how), {x, y},
            [=, call = call](CardStream& stream, const GpuAddresses& at) mutable {
              call.x = at[x] + x_at;
              call.y = at[y] + y_at;
              stream.Run(call);
            });
  }
  // A step that costs nothing, so that the layer is seen where the steps are listed.
  void AddNothing(LayerId id, std::string how);
  // Memory that a step may use while it runs.
  ValueId Workspace(std::size_t bytes);

 private:
  std::int64_t SizeOf(const Shape& shape, GpuForm form) const override {
    return Elements(shape) * BytesOf(form.element);
  }
  void AddChange(const Shape& shape, GpuTensor from, GpuTensor to, bool for_caller) override;
  bool MayLieAt(std::int64_t bytes) const override;
};

}  // namespace tandem::gpu
