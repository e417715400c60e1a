// Operators that move squares of an image into its channels or its batch, and back: a reshape, a transpose
// and another reshape.
#include <algorithm>

#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

constexpr std::int64_t kLargestBlock = 1 << 16;

TfliteActivation Rearranged(TfliteNode& node, const TfliteActivation& in, const Shape& apart,
                            const std::vector<std::int64_t>& order, const Shape& together) {
  const TfliteActivation parts = node.Layer(Op::kReshape, ReshapeAttributes{apart}, {in}, "/apart");
  const TfliteActivation moved = node.Layer(Op::kTranspose, TransposeAttributes{order}, {parts}, "/move");
  return node.Layer(Op::kReshape, ReshapeAttributes{together}, {moved});
}

std::int64_t BlockOf(const TfliteNode& node, std::int64_t block) {
  ExpectImage(node, node.Data(0).shape);
  if (block < 1 || block > kLargestBlock)
    node.Fail("its block of " + std::to_string(block) + " is out of range");
  return block;
}

void ExpectDivisible(const TfliteNode& node, std::int64_t extent, std::int64_t by, const char* what) {
  if (extent % by == 0) return;
  node.Fail("its " + std::to_string(extent) + " " + what + " cannot be divided by " + std::to_string(by));
}

// What stands in two columns, before and after height and width.
struct Margins {
  std::int64_t top, bottom, left, right;
};
Margins ReadMargins(const TfliteNode& node, std::size_t i) {
  const std::vector<std::int64_t> given = node.IntsOf(i);
  const auto fits = [](std::int64_t margin) { return margin >= 0 && margin <= kLargestBlock; };
  if (given.size() != 4 || !std::all_of(given.begin(), given.end(), fits)) {
    node.Fail("its paddings or crops are not four numbers from 0 on");
  }
  return {given[0], given[1], given[2], given[3]};
}

Extent ReadBlock(const TfliteNode& node) {
  const std::vector<std::int64_t> block = node.IntsOf(1);
  if (block.size() != 2) node.Fail("only blocks over height and width are supported");
  return {BlockOf(node, block[0]), BlockOf(node, block[1])};
}

}  // namespace

// Channel (y * block + x) * channels + c of the output is channel c at (y, x) of each block.
void SpaceToDepth(TfliteNode& node) {
  const std::int64_t b = BlockOf(node, node.OptionsAs<tfl::SpaceToDepthOptions>().block_size());
  const Shape& in = node.Data(0).shape;
  ExpectDivisible(node, in[2], b, "rows");
  ExpectDivisible(node, in[3], b, "columns");
  node.Give(0, Rearranged(node, node.Data(0), {0, 0, in[2] / b, b, in[3] / b, b}, {0, 3, 5, 1, 2, 4},
                          {0, b * b * in[1], in[2] / b, in[3] / b}));
}

void DepthToSpace(TfliteNode& node) {
  const std::int64_t b = BlockOf(node, node.OptionsAs<tfl::DepthToSpaceOptions>().block_size());
  const Shape& in = node.Data(0).shape;
  ExpectDivisible(node, in[1], b * b, "channels");
  node.Give(0, Rearranged(node, node.Data(0), {0, b, b, in[1] / (b * b), in[2], in[3]}, {0, 3, 4, 1, 5, 2},
                          {0, in[1] / (b * b), in[2] * b, in[3] * b}));
}

// Image (y * width + x) * images + n of the output is image n at (y, x) of each block.
void SpaceToBatch(TfliteNode& node) {
  const Extent b = ReadBlock(node);
  const Margins m = ReadMargins(node, 2);
  const TfliteActivation padded = node.Layer(
      Op::kPad, PadAttributes{{0, 0, m.top, m.left}, {0, 0, m.bottom, m.right}}, {node.Data(0)}, "/pad");
  const Shape& in = padded.shape;
  ExpectDivisible(node, in[2], b.h, "rows");
  ExpectDivisible(node, in[3], b.w, "columns");
  node.Give(0, Rearranged(node, padded, {0, 0, in[2] / b.h, b.h, in[3] / b.w, b.w}, {3, 5, 0, 1, 2, 4},
                          {-1, in[1], in[2] / b.h, in[3] / b.w}));
}

void BatchToSpace(TfliteNode& node) {
  const Extent b = ReadBlock(node);
  const Margins m = ReadMargins(node, 2);
  const Shape& in = node.Data(0).shape;
  ExpectDivisible(node, in[0], b.h * b.w, "images");
  const TfliteActivation whole = Rearranged(node, node.Data(0), {b.h, b.w, -1, in[1], in[2], in[3]},
                                            {2, 3, 4, 0, 5, 1}, {0, 0, in[2] * b.h, in[3] * b.w});
  const Shape& out = whole.shape;
  const SliceAttributes inside{{2, 3}, {m.top, m.left}, {out[2] - m.bottom, out[3] - m.right}, {1, 1}};
  if (m.top + m.bottom >= out[2] || m.left + m.right >= out[3]) node.Fail("it crops all that there is");
  node.Give(0, node.Layer(Op::kSlice, inside, {whole}, "/crop"));
}

}  // namespace tandem::tflite_ops
