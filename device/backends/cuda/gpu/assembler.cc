#include "device/backends/cuda/gpu/assembler.h"

#include <algorithm>

namespace tandem::gpu {
namespace {

constexpr std::int64_t kValueBorder = 256;  // what kernels and cuDNN like best begins on such a border
constexpr std::int64_t kPartBorder = 16;    // bytes that kernels read at once

std::string HowOf(GpuForm from, GpuForm to, bool for_caller) {
  if (from == to) return "copy";
  if (for_caller) return "as the caller wants it";
  const bool format = from.format != to.format, type = from.element != to.element;
  return std::string(format ? "layout" : "") + (format && type ? " and " : "") + (type ? "type" : "");
}

}  // namespace

GpuProgram::GpuProgram(const SegmentSpec& of, std::shared_ptr<GpuContext> with, Format images)
    : SegmentProgram{of, MemoryPlan(kValueBorder), {}, {}, {}, {}},
      context(std::move(with)),
      format(images),
      constants(context->card(), context->stream()) {}

GpuAssembler::GpuAssembler(const SegmentSpec& spec, std::shared_ptr<GpuContext> context, Format format)
    : SegmentAssembler(GpuProgram(spec, std::move(context), format)) {
  program_.workspace = memory().Add(0);
  memory().MakeExternal(program_.workspace);
  BringInputs();
}

GpuForm GpuAssembler::Simplest(const Shape& shape, GpuForm form) const {
  if (shape.size() != 4 || shape[1] == 1 || shape[2] * shape[3] == 1) form.format = Format::kNchw;
  return form;
}

GpuForm GpuAssembler::CommonForm(std::span<const LayerId> ids) const {
  GpuForm form;
  for (const LayerId id : ids) {
    if (Made(id).form.element == Element::kHalf) form.element = Element::kHalf;
    if (Made(id).form.format == Format::kNhwc) form.format = Format::kNhwc;
  }
  return form;
}

bool GpuAssembler::MayLieAt(std::int64_t bytes) const { return bytes % kPartBorder == 0; }

void GpuAssembler::AddNothing(LayerId id, std::string how) {
  AddStep({id}, std::move(how), {}, [](CardStream&, const GpuAddresses&) {});
}

void GpuAssembler::AddChange(const Shape& shape, GpuTensor from, GpuTensor to, bool for_caller) {
  const std::vector<std::int64_t> x = StridesOf(shape, from.form.format),
                                  y = StridesOf(shape, to.form.format);
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(shape.size(), to.form.format)) {
    axes.push_back({shape[axis], x[axis], y[axis], nullptr});
  }
  AddCall({}, HowOf(from.form, to.form, for_caller), GatherOf(axes, from.form.element, to.form.element),
          from.value, to.value);
}

ValueId GpuAssembler::Workspace(std::size_t bytes) {
  program_.workspace_bytes = std::max(program_.workspace_bytes, bytes);
  return program_.workspace;
}

}  // namespace tandem::gpu
