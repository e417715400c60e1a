// One function per kind of group: what turns it into steps.
#pragma once

#include "device/backends/cpu/onednn/assembler.h"
#include "profiles/model/op_table.h"

namespace tandem {

// Any group: by what its first layer's operation has in the table, else channel by channel, else by the
// loops.
void EmitGroup(Assembler& out, const FusedGroup& group);

// False where it has no good way of its own for this group, and added nothing. The files register theirs.
using Emitters = OpTable<bool (*)(Assembler& out, const FusedGroup& group)>;
bool EmitChannelwise(Assembler& out, const FusedGroup& group);  // batch_norm, scale, activations, sums
bool EmitGather(Assembler& out, const FusedGroup& group);       // pad, slice, upsample of blocks

// A group of WithGrids on bytes; false where there is no way, and nothing was added.
bool EmitBytes(Assembler& out, const FusedGroup& group);
// The same as numbers, whatever its inputs are, its grid behind it.
void EmitAsNumbers(Assembler& out, const FusedGroup& group);

// What vanishes behind a layer of the group that has its value has the same.
void PassOn(Assembler& out, const FusedGroup& group);
// Every layer of the group by the loops on plain tensors.
void EmitPlain(Assembler& out, const FusedGroup& group);
// An activation of the group by the loops, over numbers in plain order or with channels last.
void AddMap(Assembler& out, const FusedGroup& group, LayerId activation, ValueId from, ValueId to);

}  // namespace tandem
