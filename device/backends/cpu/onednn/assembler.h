// Room device/backends/cpu/onednn: segments on oneDNN: kernels chosen by measuring, fused, blocked. The
// only room that knows oneDNN.
//
// Puts the steps of one segment together: which value each layer has, in which layout, and in what order the
// steps run.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cpu/loops/step.h"
#include "device/backends/cpu/onednn/dnnl_calls.h"
#include "device/lowering/folded_weights.h"
#include "device/lowering/fusion.h"
#include "device/lowering/last_uses.h"
#include "device/lowering/memory_plan.h"

namespace tandem {

class ThreadTeam;

class Assembler {
 public:
  Assembler(const SegmentSpec& spec, const DnnlContext& dnnl, const ThreadTeam& team);

  const SegmentSpec& spec() const { return spec_; }
  const Model& model() const { return *spec_.model; }
  const Layer& layer(LayerId id) const { return spec_.model->layer(id); }
  const DnnlContext& dnnl() const { return dnnl_; }
  const ThreadTeam& team() const { return team_; }
  MemoryPlan& memory() { return memory_; }
  ModelWeights weights() const { return {*spec_.model, *spec_.weights}; }

  // Elements of such a tensor in memory.
  std::int64_t Count(const Shape& shape, Layout layout) const;
  bool CanBlock(const Shape& shape) const { return dnnl_.block() > 1 && shape.size() == 4; }
  // kPlain where both layouts are the same bytes.
  Layout Simplest(const Shape& shape, Layout layout) const;
  ValueId NewValue(const Shape& shape, Layout layout) { return memory_.Add(Count(shape, layout)); }

  // The layer's value as it was made.
  ValueId ValueOf(LayerId id) const { return made_[id.index()].value; }
  Layout LayoutOf(LayerId id) const { return made_[id.index()].layout; }
  // In the layout that is wanted: a step that changes it is added where it was not there yet.
  ValueId Need(LayerId id, Layout layout);
  bool Has(LayerId id, Layout layout) const;
  // `value` is what the layer makes.
  void Define(LayerId id, ValueId value, Layout layout);
  // A new value in that layout that the layer makes.
  ValueId Make(LayerId id, Layout layout);

  // May the group that is being assembled write over this value? Nobody may read it later.
  bool MayOverwrite(ValueId value) const;

  // Lets the first of `inputs`, or as many of them as another concat joined already, lie `offset` elements
  // into `whole`. Returns how many that were, 0 where the first lies elsewhere for good.
  std::size_t PlaceInConcat(std::span<const ValueId> inputs, ValueId whole, std::int64_t offset);
  void NoteConcat(ValueId whole, std::vector<ValueId> inputs) { concats_[whole] = std::move(inputs); }

  void Add(std::unique_ptr<CpuStep> step, const std::vector<ValueId>& reads,
           const std::vector<ValueId>& writes);
  template <class Kernel>
  void AddKernel(std::vector<LayerId> layers, std::string how, const std::vector<ValueId>& reads,
                 const std::vector<ValueId>& writes, Kernel kernel, std::int64_t bytes = 0) {
    Add(std::make_unique<KernelStep<Kernel>>(std::move(layers), std::move(how), std::move(kernel), bytes),
        reads, writes);
  }
  void AddReorder(ValueId from, const dnnl::memory::desc& from_desc, ValueId to,
                  const dnnl::memory::desc& to_desc);
  void AddCopy(std::vector<LayerId> layers, std::string how, ValueId from, ValueId to);
  // The scratch of a primitive, which lives as long as its step.
  void AddPrimitive(std::unique_ptr<PrimitiveStep> step, const MadePrimitive& made,
                    std::vector<ValueId> reads, const std::vector<ValueId>& writes);

  // All groups in order; `emit` assembles one.
  template <class Emit>
  void ForEachGroup(const std::vector<FusedGroup>& groups, Emit emit) {
    last_use_ = LastUses(spec_, groups);
    for (group_ = 0; group_ < groups.size(); ++group_) emit(groups[group_]);
  }
  std::unique_ptr<Executable> Finish();

 private:
  struct Made {
    ValueId value;
    Layout layout = Layout::kPlain;
    ValueId other;  // the same in the other layout, where somebody needed it
  };
  void WriteOutput(LayerId id);

  const SegmentSpec& spec_;
  const DnnlContext& dnnl_;
  const ThreadTeam& team_;
  MemoryPlan memory_;
  std::vector<Made> made_;             // by layer
  std::vector<std::size_t> last_use_;  // by layer: the group that reads it last, or what shares its memory
  std::size_t group_ = 0;
  std::vector<std::unique_ptr<CpuStep>> steps_;
  std::map<ValueId, std::vector<ValueId>> concats_;  // what lies in them, in order
  std::vector<ValueId> inputs_, outputs_;
};

}  // namespace tandem
