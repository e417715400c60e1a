// Changes between numbers and grids. What a tensor of 8 bits holds is here the numbers that it stands for: a
// layer moves them to the nearest ones of its grid, and they need no change back.
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {

void Quantize(TfliteNode& node) {
  TfliteActivation out = node.OnGridOf(0, node.Data(0));
  if (!out.grid) node.Fail("its output is of no whole numbers");
  node.Give(0, out);
}

void Dequantize(TfliteNode& node) { node.Give(0, node.Data(0)); }

// Between types of floating point, and from bytes: all is computed in fp32.
void Cast(TfliteNode& node) { node.Give(0, node.Layer(Op::kIdentity, NoAttributes{}, {node.Data(0)})); }

}  // namespace tandem::tflite_ops
