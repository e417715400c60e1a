// Room device/backends/cpu/onednn: segments on oneDNN: kernels chosen by measuring, fused, blocked. The
// only room that knows oneDNN.
//
// The assembler of the backend cpu: tensors plain, in blocks of channels or with their channels last, kernels
// of our own, of oneDNN and of XNNPACK.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cpu/loops/step.h"
#include "device/backends/cpu/onednn/dnnl_calls.h"
#include "device/backends/cpu/xnnpack/bytes.h"
#include "device/lowering/assembler.h"

namespace tandem {

class ThreadTeam;

using CpuProgram = SegmentProgram<CpuStep>;

struct CpuTensor {
  ValueId value;
  Layout form = Layout::kPlain;
};

class Assembler final : public SegmentAssembler<CpuProgram, CpuTensor> {
 public:
  Assembler(const SegmentSpec& spec, const DnnlContext& dnnl, const ThreadTeam& team);

  const DnnlContext& dnnl() const { return dnnl_; }
  const ThreadTeam& team() const { return team_; }

  bool CanBlock(const Shape& shape) const { return dnnl_.block() > 1 && shape.size() == 4; }
  Layout Simplest(const Shape& shape, Layout layout) const override;
  // Channels that lie side by side.
  std::int64_t LanesOf(const Shape& shape, Layout layout) const;
  // As bytes of the layer's grid.
  ValueId NeedBytes(LayerId id, ByteGrid grid);
  ValueId MakeBytes(LayerId id, ByteGrid grid);
  // What `to` makes: the numbers of `from` brought to that grid.
  void AddToBytes(LayerId from, LayerId to, ByteGrid grid);
  // Invalid where it was not made yet.
  ValueId ValueOf(LayerId id) const { return IsMade(id) ? Made(id).value : ValueId(); }
  Layout LayoutOf(LayerId id) const { return Made(id).form; }

  template <class Kernel>
  void AddKernel(std::vector<LayerId> layers, std::string how, std::vector<ValueId> reads,
                 const std::vector<ValueId>& writes, Kernel kernel, std::int64_t bytes = 0) {
    reads.insert(reads.end(), writes.begin(), writes.end());
    Add(std::make_unique<KernelStep<Kernel>>(std::move(layers), std::move(how), std::move(kernel), bytes),
        reads);
  }
  void AddCopy(std::string how, ValueId from, ValueId to);  // of a value in the same form
  // The scratch of a primitive, which lives as long as its step.
  void AddPrimitive(std::unique_ptr<PrimitiveStep> step, const MadePrimitive& made,
                    std::vector<ValueId> reads, const std::vector<ValueId>& writes);

 private:
  std::int64_t SizeOf(const Shape& shape, Layout layout) const override;
  void AddChange(const Shape& shape, CpuTensor from, CpuTensor to, bool for_caller) override;

  void AddTranspose(const Shape& shape, CpuTensor from, CpuTensor to);
  void AddByteChange(const Shape& shape, CpuTensor from, CpuTensor to);

  const DnnlContext& dnnl_;
  const ThreadTeam& team_;
  std::map<ValueId, ByteGrid> grids_;  // of those that are bytes
  ByteGrid wanted_;                    // of those that are about to become so
};

}  // namespace tandem
