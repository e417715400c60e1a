#include "device/backends/cpu/onednn/assembler.h"

#include <cstring>

#include "device/backends/cpu/loops/bytes.h"
#include "device/backends/cpu/loops/channel_loops.h"

namespace tandem {

Assembler::Assembler(const SegmentSpec& spec, const DnnlContext& dnnl, const ThreadTeam& team)
    : SegmentAssembler(CpuProgram{spec, MemoryPlan(), {}, {}, {}, {}}), dnnl_(dnnl), team_(team) {
  BringInputs();
}

// Floats.
std::int64_t Assembler::SizeOf(const Shape& shape, Layout layout) const {
  if (layout == Layout::kBytes) return (Elements(shape) + 3) / 4;
  if (layout != Layout::kBlocked) return Elements(shape);
  const std::int64_t block = dnnl_.block(), channels = (shape[1] + block - 1) / block * block;
  return shape[0] * channels * shape[2] * shape[3];
}

Layout Assembler::Simplest(const Shape& shape, Layout layout) const {
  if (layout == Layout::kPlain || layout == Layout::kBytes) return layout;
  const bool one_position = shape[2] * shape[3] == 1;
  const bool same =
      layout == Layout::kLast ? one_position || shape[1] == 1 : one_position && shape[1] % dnnl_.block() == 0;
  return same ? Layout::kPlain : layout;
}

std::int64_t Assembler::LanesOf(const Shape& shape, Layout layout) const {
  if (layout == Layout::kPlain) return 1;
  return layout == Layout::kBlocked ? dnnl_.block() : shape[1];
}

void Assembler::AddPrimitive(std::unique_ptr<PrimitiveStep> step, const MadePrimitive& made,
                             std::vector<ValueId> reads, const std::vector<ValueId>& writes) {
  if (made.scratchpad.get_size() > 0) {
    const std::size_t floats = (made.scratchpad.get_size() + sizeof(float) - 1) / sizeof(float);
    reads.push_back(memory().Add(static_cast<std::int64_t>(floats)));
    step->Use(DNNL_ARG_SCRATCHPAD, made.scratchpad, reads.back());
  }
  reads.insert(reads.end(), writes.begin(), writes.end());
  Add(std::move(step), reads);
}

void Assembler::AddCopy(std::string how, ValueId from, ValueId to) {
  const auto bytes = static_cast<std::size_t>(memory().CountOf(to)) * sizeof(float);
  AddKernel({}, std::move(how), {from}, {to},
            [=](const Addresses& at) { std::memcpy(at[to], at[from], bytes); });
}

void Assembler::AddTranspose(const Shape& shape, CpuTensor from, CpuTensor to) {
  const std::int64_t channels = shape[1], positions = shape[2] * shape[3], images = shape[0];
  const bool apart = to.form == Layout::kPlain;
  const Transpose transpose{images, apart ? positions : channels, apart ? channels : positions};
  AddKernel({}, "layout, transposed", {from.value}, {to.value},
            [=, from = from.value, to = to.value](const Addresses& at) {
              RunTranspose(transpose, at[from], at[to]);
            });
}

ValueId Assembler::NeedBytes(LayerId id, ByteGrid grid) {
  wanted_ = grid;
  return Need(id, Layout::kBytes);
}

ValueId Assembler::MakeBytes(LayerId id, ByteGrid grid) {
  const ValueId value = Make(id, Layout::kBytes);
  grids_[value] = grid;
  return value;
}

void Assembler::AddToBytes(LayerId from, LayerId to, ByteGrid grid) {
  const CpuTensor numbers{Need(from, Layout::kPlain), Layout::kPlain};
  wanted_ = grid;
  AddChange(shape(from), numbers, {MakeBytes(to, grid), Layout::kBytes}, false);
}

// Between plain order and bytes; other layouts go by way of the first.
void Assembler::AddByteChange(const Shape& shape, CpuTensor from, CpuTensor to) {
  if (from.form != Layout::kPlain && to.form != Layout::kPlain) {
    const CpuTensor plain{NewValue(shape, Layout::kPlain), Layout::kPlain};
    AddChange(shape, from, plain, false);
    return AddChange(shape, plain, to, false);
  }
  const bool image = shape.size() == 4;
  ByteLoop loop;
  loop.images = image ? shape[0] : 1;
  loop.channels = image ? shape[1] : Elements(shape);
  loop.positions = image ? shape[2] * shape[3] : 1;
  const bool to_bytes = to.form == Layout::kBytes;
  const ByteGrid grid = to_bytes ? wanted_ : grids_.at(from.value);
  if (to_bytes) grids_[to.value] = grid;
  loop.scale = grid.scale;
  loop.zero = grid.zero;
  AddKernel({}, to_bytes ? "to bytes" : "from bytes", {from.value}, {to.value},
            [=, from = from.value, to = to.value](const Addresses& at) {
              if (to_bytes) {
                RunToBytes(loop, at[from], reinterpret_cast<std::int8_t*>(at[to]));
              } else {
                RunFromBytes(loop, reinterpret_cast<const std::int8_t*>(at[from]), at[to]);
              }
            });
}

void Assembler::AddChange(const Shape& shape, CpuTensor from, CpuTensor to, bool) {
  if (from.form == to.form) {
    if (from.form == Layout::kBytes) grids_[to.value] = grids_.at(from.value);
    return AddCopy("copy", from.value, to.value);
  }
  if (from.form == Layout::kBytes || to.form == Layout::kBytes) return AddByteChange(shape, from, to);
  if (from.form != Layout::kBlocked && to.form != Layout::kBlocked) return AddTranspose(shape, from, to);
  const dnnl::memory::desc from_desc = dnnl_.Describe(shape, from.form),
                           to_desc = dnnl_.Describe(shape, to.form);
  const MadePrimitive made = dnnl_.Reorder(from_desc, to_desc);
  auto step = std::make_unique<PrimitiveStep>(std::vector<LayerId>{}, "layout " + made.implementation, dnnl_,
                                              made.primitive);
  step->Use(DNNL_ARG_FROM, from_desc, from.value);
  step->Use(DNNL_ARG_TO, to_desc, to.value);
  AddPrimitive(std::move(step), made, {from.value}, {to.value});
}

}  // namespace tandem
