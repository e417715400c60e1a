// A part of a few layers as a small model of its own: fewer channels with their weights, or fewer rows with
// the rows of the input that they see. Any backend runs it without knowing of parts.
#pragma once

#include <cstddef>
#include <vector>

#include "device/processor/processor.h"
#include "profiles/model/layer_parts.h"

namespace tandem {

// Of what a layer with this output makes.
TensorBlock BlockOf(const Shape& output, const LayerPart& part);

struct PartModel {
  SegmentSpec spec;  // all of the small model; its inputs and its output in the order of the whole segment's
  std::vector<std::size_t> offsets;  // per input: so many floats into the tensor that the whole segment reads
  std::vector<LayerId> layers;       // per layer of the small model: of which it is a part; invalid: of none
};

// `whole` can be split so (SplitRangeOf). Tensors are taken to begin at multiples of 64 bytes, and so does
// what the small model reads.
PartModel PartModelOf(const SegmentSpec& whole, const LayerPart& part);

}  // namespace tandem
