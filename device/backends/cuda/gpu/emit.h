// One function per kind of group: what turns it into steps.
#pragma once

#include "device/backends/cuda/gpu/assembler.h"
#include "profiles/model/op_table.h"

namespace tandem::gpu {

// Any group: by what its first layer's operation has in the table. Throws EnvironmentError where the card has
// no way to run it.
void EmitGroup(GpuAssembler& out, const FusedGroup& group);

// What turns a group into steps; the files register theirs.
using Emitters = OpTable<void (*)(GpuAssembler& out, const FusedGroup& group)>;
// Of a layer that takes nothing in.
template <void (*kEmit)(GpuAssembler&, LayerId)>
void Alone(GpuAssembler& out, const FusedGroup& group) {
  kEmit(out, group[0]);
}

void EmitAffine(GpuAssembler& out, const FusedGroup& group);    // batch_norm, scale, constants per channel
void EmitSum(GpuAssembler& out, const FusedGroup& group);       // of two tensors of one shape
void EmitFunction(GpuAssembler& out, const FusedGroup& group);  // what has a Function, and prelu
void EmitGather(GpuAssembler& out, LayerId id);                 // pad, slice, upsample to the nearest

}  // namespace tandem::gpu
