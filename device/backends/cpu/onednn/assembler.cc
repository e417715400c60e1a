#include "device/backends/cpu/onednn/assembler.h"

#include <cstring>

#include "device/backends/cpu/onednn/executable.h"
#include "profiles/base/check.h"

namespace tandem {

Assembler::Assembler(const SegmentSpec& spec, const DnnlContext& dnnl, const ThreadTeam& team)
    : spec_(spec), dnnl_(dnnl), team_(team), made_(spec.model->size()) {
  for (const LayerId id : spec.inputs) {
    inputs_.push_back(NewValue(layer(id).output, Layout::kPlain));
    memory_.MakeExternal(inputs_.back());
    Define(id, inputs_.back(), Layout::kPlain);
  }
}

std::int64_t Assembler::Count(const Shape& shape, Layout layout) const {
  if (layout == Layout::kPlain) return Elements(shape);
  const std::int64_t block = dnnl_.block(), channels = (shape[1] + block - 1) / block * block;
  return shape[0] * channels * shape[2] * shape[3];
}

Layout Assembler::Simplest(const Shape& shape, Layout layout) const {
  const bool same = layout == Layout::kPlain || (shape[2] * shape[3] == 1 && shape[1] % dnnl_.block() == 0);
  return same ? Layout::kPlain : layout;
}

bool Assembler::Has(LayerId id, Layout layout) const {
  const Made& made = made_[id.index()];
  const Shape& shape = layer(id).output;
  if (layout == Layout::kBlocked && !CanBlock(shape)) return false;
  return made.layout == Simplest(shape, layout) || made.other.valid();
}

ValueId Assembler::Need(LayerId id, Layout layout) {
  Made& made = made_[id.index()];
  const Shape& shape = layer(id).output;
  const Layout wanted = Simplest(shape, layout);
  if (made.layout == wanted) return made.value;
  if (!made.other.valid()) {
    made.other = NewValue(shape, wanted);
    AddReorder(made.value, dnnl_.Describe(shape, made.layout), made.other, dnnl_.Describe(shape, wanted));
  }
  return made.other;
}

void Assembler::Define(LayerId id, ValueId value, Layout layout) {
  made_[id.index()] = {value, Simplest(layer(id).output, layout), ValueId()};
}

ValueId Assembler::Make(LayerId id, Layout layout) {
  const ValueId value = NewValue(layer(id).output, layout);
  Define(id, value, layout);
  return value;
}

bool Assembler::MayOverwrite(ValueId value) const {
  if (memory_.IsExternal(value) || !memory_.IsRoot(value) || memory_.HasParts(value)) return false;
  // Layers that change nothing have the value of the layer before them.
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if ((made_[i].value == value || made_[i].other == value) && last_use_[i] > group_) return false;
  }
  return true;
}

void Assembler::Add(std::unique_ptr<CpuStep> step, const std::vector<ValueId>& reads,
                    const std::vector<ValueId>& writes) {
  for (const ValueId id : reads) memory_.Touch(id, steps_.size());
  for (const ValueId id : writes) memory_.Touch(id, steps_.size());
  steps_.push_back(std::move(step));
}

void Assembler::AddPrimitive(std::unique_ptr<PrimitiveStep> step, const MadePrimitive& made,
                             std::vector<ValueId> reads, const std::vector<ValueId>& writes) {
  if (made.scratchpad.get_size() > 0) {
    const std::size_t floats = (made.scratchpad.get_size() + sizeof(float) - 1) / sizeof(float);
    reads.push_back(memory_.Add(static_cast<std::int64_t>(floats)));
    step->Use(DNNL_ARG_SCRATCHPAD, made.scratchpad, reads.back());
  }
  Add(std::move(step), reads, writes);
}

void Assembler::AddReorder(ValueId from, const dnnl::memory::desc& from_desc, ValueId to,
                           const dnnl::memory::desc& to_desc) {
  const MadePrimitive made = dnnl_.Reorder(from_desc, to_desc);
  auto step = std::make_unique<PrimitiveStep>(std::vector<LayerId>{}, "layout " + made.implementation, dnnl_,
                                              made.primitive);
  step->Use(DNNL_ARG_FROM, from_desc, from);
  step->Use(DNNL_ARG_TO, to_desc, to);
  AddPrimitive(std::move(step), made, {from}, {to});
}

void Assembler::AddCopy(std::vector<LayerId> layers, std::string how, ValueId from, ValueId to) {
  const auto bytes = static_cast<std::size_t>(memory_.CountOf(from)) * sizeof(float);
  AddKernel(std::move(layers), std::move(how), {from}, {to},
            [=](const Addresses& at) { std::memcpy(at[to], at[from], bytes); });
}

std::size_t Assembler::PlaceInConcat(std::span<const ValueId> inputs, ValueId whole, std::int64_t offset) {
  const ValueId root = memory_.RootOf(inputs[0]);
  if (memory_.IsExternal(root)) return 0;
  if (root == inputs[0]) {
    memory_.Place(root, whole, offset);
    return 1;
  }
  const auto joined = concats_.find(root);
  if (joined == concats_.end()) return 0;
  const std::vector<ValueId>& parts = joined->second;
  if (parts.size() > inputs.size() || !std::equal(parts.begin(), parts.end(), inputs.begin())) return 0;
  if (memory_.CountOf(root) != memory_.OffsetOf(parts.back()) + memory_.CountOf(parts.back())) return 0;
  memory_.Place(root, whole, offset);
  return parts.size();
}

// The tensor goes where the caller wants it: straight there, or by a last step.
void Assembler::WriteOutput(LayerId id) {
  const Shape& shape = layer(id).output;
  const Made& made = made_[id.index()];
  if (made.layout == Layout::kPlain && memory_.IsRoot(made.value) && !memory_.IsExternal(made.value) &&
      memory_.CountOf(made.value) == Elements(shape)) {
    memory_.MakeExternal(made.value);
    outputs_.push_back(made.value);
    return;
  }
  const ValueId output = NewValue(shape, Layout::kPlain);
  memory_.MakeExternal(output);
  outputs_.push_back(output);
  if (made.layout == Layout::kBlocked) {
    AddReorder(made.value, dnnl_.Describe(shape, Layout::kBlocked), output,
               dnnl_.Describe(shape, Layout::kPlain));
  } else {
    AddCopy({}, "copy", made.value, output);
  }
}

std::unique_ptr<Executable> Assembler::Finish() {
  for (const LayerId id : spec_.outputs) WriteOutput(id);
  return std::make_unique<CpuExecutable>(spec_, team_, std::move(memory_), std::move(steps_),
                                         std::move(inputs_), std::move(outputs_));
}

}  // namespace tandem
