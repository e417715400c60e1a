// One function per kind of group: what turns it into steps.
#pragma once

#include "device/backends/cuda/gpu/assembler.h"

namespace tandem::gpu {

// Any group; picks one of those below. Throws EnvironmentError where the card has no way to run it.
void EmitGroup(GpuAssembler& out, const FusedGroup& group);

void EmitConv(GpuAssembler& out, const FusedGroup& group);  // conv, deconv
void EmitFc(GpuAssembler& out, const FusedGroup& group);
void EmitMatmul(GpuAssembler& out, LayerId id);
void EmitPool(GpuAssembler& out, LayerId id);
void EmitLrn(GpuAssembler& out, LayerId id);
void EmitResize(GpuAssembler& out, LayerId id);                 // linear
void EmitAffine(GpuAssembler& out, const FusedGroup& group);    // batch_norm, scale, constants per channel
void EmitSum(GpuAssembler& out, const FusedGroup& group);       // of two tensors of one shape
void EmitFunction(GpuAssembler& out, const FusedGroup& group);  // activations, prelu
void EmitElementwise(GpuAssembler& out, LayerId id);
void EmitRows(GpuAssembler& out, LayerId id);  // softmax, layer_norm
void EmitMean(GpuAssembler& out, LayerId id);
void EmitConcat(GpuAssembler& out, LayerId id);
void EmitGather(GpuAssembler& out, LayerId id);  // pad, slice, upsample to the nearest
void EmitTranspose(GpuAssembler& out, LayerId id);
void EmitAlias(GpuAssembler& out, LayerId id);  // dropout, identity, flatten, reshape

}  // namespace tandem::gpu
