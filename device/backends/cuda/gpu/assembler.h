// Room device/backends/cuda/gpu: segments on a card, in plain C++ above the seam.
//
// Puts the steps of one segment together: which value each layer has, in which form, and in what order the
// steps run.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cuda/gpu/context.h"
#include "device/backends/cuda/gpu/form.h"
#include "device/backends/cuda/gpu/step.h"
#include "device/backends/cuda/gpu/weights.h"
#include "device/lowering/folded_weights.h"
#include "device/lowering/last_uses.h"

namespace tandem::gpu {

// What an assembler makes for an executable.
struct GpuProgram {
  GpuProgram(const SegmentSpec& of, std::shared_ptr<GpuContext> with, Format images);

  SegmentSpec spec;
  std::shared_ptr<GpuContext> context;
  Format format;
  MemoryPlan memory{256};  // in bytes; what kernels and cuDNN like best begins on such a border
  GpuWeights weights;
  std::vector<std::unique_ptr<GpuStep>> steps;
  std::vector<ValueId> inputs, outputs;
  ValueId workspace;  // of all steps: they run one after the other
  std::size_t workspace_bytes = 0;
};

class GpuAssembler {
 public:
  // Images inside the segment lie in `format` where it is for this assembler to say.
  GpuAssembler(const SegmentSpec& spec, std::shared_ptr<GpuContext> context, Format format);

  const Model& model() const { return *program_.spec.model; }
  const Layer& layer(LayerId id) const { return model().layer(id); }
  const Shape& shape(LayerId id) const { return layer(id).output; }
  GpuContext& context() const { return *program_.context; }
  GpuWeights& constants() { return program_.weights; }
  ModelWeights weights() const { return {model(), *program_.spec.weights}; }
  // What convolutions and products want.
  GpuForm product_form() const { return {context().element(), program_.format}; }

  std::int64_t Bytes(const Shape& shape, Element element) const { return Elements(shape) * BytesOf(element); }
  // kNchw where both formats are the same bytes.
  GpuForm Simplest(const Shape& shape, GpuForm form) const;
  ValueId NewValue(const Shape& shape, Element element) { return program_.memory.Add(Bytes(shape, element)); }

  // As the layer's value was made.
  GpuTensor Made(LayerId id) const { return made_[id.index()][0]; }
  bool IsMade(LayerId id) const { return !made_[id.index()].empty(); }
  // In the form that is wanted: a step that changes it is added where it was not there yet.
  ValueId Need(LayerId id, GpuForm form);
  // A form in which all of `ids` are wanted by an operation that does not care: that of the first, half where
  // one of them is, channels last where one of them has them.
  GpuForm CommonForm(std::span<const LayerId> ids) const;
  void Define(LayerId id, ValueId value, GpuForm form);
  ValueId Make(LayerId id, GpuForm form);  // a new value

  // May the group that is being assembled write over this value? Nobody may read it later.
  bool MayOverwrite(ValueId value) const;

  // Lets `part` lie `bytes` into `whole` from here on; false where kernels could not read it there.
  bool PlaceInside(ValueId part, ValueId whole, std::int64_t bytes);
  // The same for the first of `inputs`, or as many of them as another concat joined already. Returns how many
  // that were, 0 where the first lies elsewhere for good.
  std::size_t PlaceInConcat(std::span<const ValueId> inputs, ValueId whole, std::int64_t bytes);
  void NoteConcat(ValueId whole, std::vector<ValueId> inputs) { concats_[whole] = std::move(inputs); }
  std::int64_t BytesOfValue(ValueId id) const { return program_.memory.CountOf(id); }

  void Add(std::unique_ptr<GpuStep> step, std::span<const ValueId> uses);
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
  // Copies with a change of form.
  void AddChange(std::vector<LayerId> layers, std::string how, const Shape& shape, GpuTensor from,
                 GpuTensor to);
  // Memory that a step may use while it runs.
  ValueId Workspace(std::size_t bytes);

  // All groups in order; `emit` assembles one.
  template <class Emit>
  void ForEachGroup(const std::vector<FusedGroup>& groups, Emit emit) {
    last_use_ = LastUses(program_.spec, groups);
    for (group_ = 0; group_ < groups.size(); ++group_) emit(groups[group_]);
  }
  GpuProgram Finish();

 private:
  void WriteOutput(LayerId id);

  GpuProgram program_;
  std::vector<std::vector<GpuTensor>> made_;  // by layer: as it was made, then in the forms that were needed
  std::vector<std::size_t> last_use_;         // by layer: the group that reads it last
  std::size_t group_ = 0;
  std::map<ValueId, std::vector<ValueId>> concats_;  // what lies in them, in order
};

}  // namespace tandem::gpu
