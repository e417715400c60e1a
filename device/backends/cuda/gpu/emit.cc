#include "device/backends/cuda/gpu/emit.h"

#include "device/backends/cuda/gpu/function.h"
#include "profiles/base/check.h"

namespace tandem::gpu {

// The emitter sees to the first layer and what works on its output; what vanishes behind them has its value.
void EmitGroup(GpuAssembler& out, const FusedGroup& group) {
  const Layer& first = out.layer(group[0]);
  const auto emit = HasFunction(first.op) ? EmitFunction : Emitters::For(first, kWho);
  emit(out, group);
  for (const LayerId id : group) {
    if (out.IsMade(id) || !IsNothing(out.layer(id).op)) continue;
    const LayerId from = out.layer(id).inputs[0];
    if (out.IsMade(from)) out.Define(id, out.Made(from).value, out.Made(from).form);
  }
  TANDEM_CHECK(out.IsMade(group.back()), "a group makes what its last layer makes");
}

}  // namespace tandem::gpu
