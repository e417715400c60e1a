// A part of a few layers, ready to run on a unit beside the other parts: it reads what the whole segment
// reads and writes its share into the tensor that they make together.
#pragma once

#include <memory>

#include "device/processor/part_model.h"

namespace tandem {

// Its Run takes pointers to the whole tensors, those of `whole`'s inputs and of its output, and leaves alone
// what the other parts write. Throws what Processor::Compile throws, EnvironmentError where the processor
// takes whole models alone. `whole.kernels` and `whole.takes` are those of the part.
std::unique_ptr<Executable> CompilePart(Processor& processor, const SegmentSpec& whole,
                                        const LayerPart& part);

}  // namespace tandem
