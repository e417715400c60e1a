// One function per kind of group: what turns it into steps.
#pragma once

#include "device/backends/cpu/onednn/assembler.h"

namespace tandem {

// Any group; picks one of those below.
void EmitGroup(Assembler& out, const FusedGroup& group);

// Every layer of the group by the loops on plain tensors.
void EmitPlain(Assembler& out, const FusedGroup& group);
// False where it has no good way of its own for this group, and added nothing.
bool EmitConv(Assembler& out, const FusedGroup& group);
bool EmitFc(Assembler& out, const FusedGroup& group);
bool EmitChannelwise(Assembler& out, const FusedGroup& group);  // batch_norm, scale, activations, sums
bool EmitPool(Assembler& out, const FusedGroup& group);
bool EmitLrn(Assembler& out, const FusedGroup& group);
bool EmitConcat(Assembler& out, const FusedGroup& group);
bool EmitSlice(Assembler& out, const FusedGroup& group);   // as a part of its input
bool EmitGather(Assembler& out, const FusedGroup& group);  // pad, slice, upsample of blocks
void EmitAlias(Assembler& out, const FusedGroup& group);   // dropout, identity, flatten, reshape

}  // namespace tandem
