#include "device/backends/cuda/gpu/assembler.h"

#include <algorithm>

namespace tandem::gpu {
namespace {

constexpr std::int64_t kPartBorder = 16;  // bytes that kernels read at once

}  // namespace

GpuProgram::GpuProgram(const SegmentSpec& of, std::shared_ptr<GpuContext> with, Format images)
    : spec(of), context(std::move(with)), format(images), weights(context->card(), context->stream()) {}

GpuAssembler::GpuAssembler(const SegmentSpec& spec, std::shared_ptr<GpuContext> context, Format format)
    : program_(spec, std::move(context), format), made_(spec.model->size()) {
  program_.workspace = program_.memory.Add(0);
  program_.memory.MakeExternal(program_.workspace);
  for (const LayerId id : spec.inputs) {
    program_.inputs.push_back(NewValue(shape(id), Element::kFloat));
    program_.memory.MakeExternal(program_.inputs.back());
    Define(id, program_.inputs.back(), kPlainForm);
  }
}

GpuForm GpuAssembler::Simplest(const Shape& shape, GpuForm form) const {
  if (shape.size() != 4 || shape[1] == 1 || shape[2] * shape[3] == 1) form.format = Format::kNchw;
  return form;
}

ValueId GpuAssembler::Need(LayerId id, GpuForm form) {
  const GpuForm wanted = Simplest(shape(id), form);
  std::vector<GpuTensor>& there = made_[id.index()];
  for (const GpuTensor& tensor : there) {
    if (tensor.form == wanted) return tensor.value;
  }
  const GpuTensor changed{NewValue(shape(id), wanted.element), wanted};
  const bool type = wanted.element != there[0].form.element, format = wanted.format != there[0].form.format;
  AddChange({}, std::string(format ? "layout" : "") + (format && type ? " and " : "") + (type ? "type" : ""),
            shape(id), there[0], changed);
  there.push_back(changed);
  return changed.value;
}

GpuForm GpuAssembler::CommonForm(std::span<const LayerId> ids) const {
  GpuForm form;
  for (const LayerId id : ids) {
    if (Made(id).form.element == Element::kHalf) form.element = Element::kHalf;
    if (Made(id).form.format == Format::kNhwc) form.format = Format::kNhwc;
  }
  return form;
}

void GpuAssembler::Define(LayerId id, ValueId value, GpuForm form) {
  made_[id.index()] = {{value, Simplest(shape(id), form)}};
}

ValueId GpuAssembler::Make(LayerId id, GpuForm form) {
  const ValueId value = NewValue(shape(id), form.element);
  Define(id, value, form);
  return value;
}

bool GpuAssembler::MayOverwrite(ValueId value) const {
  const MemoryPlan& memory = program_.memory;
  if (memory.IsExternal(value) || !memory.IsRoot(value) || memory.HasParts(value)) return false;
  // Layers that change nothing have the value of the layer before them.
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const auto same = [&](const GpuTensor& tensor) { return tensor.value == value; };
    if (last_use_[i] > group_ && std::any_of(made_[i].begin(), made_[i].end(), same)) return false;
  }
  return true;
}

bool GpuAssembler::PlaceInside(ValueId part, ValueId whole, std::int64_t bytes) {
  if (bytes % kPartBorder != 0) return false;
  program_.memory.Place(part, whole, bytes);
  return true;
}

std::size_t GpuAssembler::PlaceInConcat(std::span<const ValueId> inputs, ValueId whole, std::int64_t bytes) {
  const MemoryPlan& memory = program_.memory;
  const ValueId root = memory.RootOf(inputs[0]);
  if (memory.IsExternal(root)) return 0;
  if (root == inputs[0]) return PlaceInside(root, whole, bytes) ? 1 : 0;
  const auto joined = concats_.find(root);
  if (joined == concats_.end()) return 0;
  const std::vector<ValueId>& parts = joined->second;
  if (parts.size() > inputs.size() || !std::equal(parts.begin(), parts.end(), inputs.begin())) return 0;
  std::int64_t at = 0;  // all of them, and nothing else, lie there
  for (const ValueId part : parts) {
    if (memory.RootOf(part) != root || memory.OffsetOf(part) != at) return 0;
    at += memory.CountOf(part);
  }
  if (at != memory.CountOf(root) || !PlaceInside(root, whole, bytes)) return 0;
  return parts.size();
}

void GpuAssembler::Add(std::unique_ptr<GpuStep> step, std::span<const ValueId> uses) {
  for (const ValueId id : uses) program_.memory.Touch(id, program_.steps.size());
  program_.steps.push_back(std::move(step));
}

void GpuAssembler::AddNothing(LayerId id, std::string how) {
  AddStep({id}, std::move(how), {}, [](CardStream&, const GpuAddresses&) {});
}

void GpuAssembler::AddChange(std::vector<LayerId> layers, std::string how, const Shape& shape, GpuTensor from,
                             GpuTensor to) {
  const std::vector<std::int64_t> x = StridesOf(shape, from.form.format),
                                  y = StridesOf(shape, to.form.format);
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(shape.size(), to.form.format)) {
    axes.push_back({shape[axis], x[axis], y[axis], nullptr});
  }
  AddCall(std::move(layers), std::move(how), GatherOf(axes, from.form.element, to.form.element), from.value,
          to.value);
}

ValueId GpuAssembler::Workspace(std::size_t bytes) {
  program_.workspace_bytes = std::max(program_.workspace_bytes, bytes);
  return program_.workspace;
}

// The tensor goes where the caller wants it: straight there, or by a last step.
void GpuAssembler::WriteOutput(LayerId id) {
  MemoryPlan& memory = program_.memory;
  const GpuTensor made = Made(id);
  ValueId output = made.value;
  const bool straight = made.form == kPlainForm && memory.IsRoot(output) && !memory.IsExternal(output);
  if (!straight) {
    output = NewValue(shape(id), Element::kFloat);
    AddChange({}, made.form == kPlainForm ? "copy" : "as the caller wants it", shape(id), made,
              {output, kPlainForm});
  }
  memory.MakeExternal(output);
  program_.outputs.push_back(output);
}

GpuProgram GpuAssembler::Finish() {
  for (const LayerId id : program_.spec.outputs) WriteOutput(id);
  return std::move(program_);
}

}  // namespace tandem::gpu
