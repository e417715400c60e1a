// Quantised layers on whole numbers of a byte, by XNNPACK.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "device/backends/cpu/loops/bytes.h"
#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/backends/cpu/onednn/thread_team.h"
#include "device/backends/cpu/onednn/xnn_conv.h"
#include "device/lowering/folded_weights.h"
#include "device/lowering/positions.h"

namespace tandem {
namespace {

ByteGrid GridFor(const QuantizeAttributes& grid) {
  return {static_cast<float>(grid.scale), static_cast<std::int32_t>(-128 - grid.least())};
}

std::optional<ByteGrid> GridOfInput(const Assembler& out, LayerId layer, std::size_t input = 0) {
  const auto grid = GridOf(out.model(), out.layer(layer).inputs[input]);
  return grid ? std::optional(GridFor(*grid)) : std::nullopt;
}

std::int8_t Nearest(double value, ByteGrid grid) {
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(value / grid.scale) + grid.zero, -128.0, 127.0));
}

// Does the layer add a number for each channel, or one for all?
bool OnlyAdds(const Assembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  if (!IsAffine(out.model(), id)) return false;
  return layer.op == Op::kAdd || (layer.op == Op::kSub && !layer.As<ElementwiseAttributes>().constant_first);
}

// What the activations between the first layer and the grid cut off, as bytes; nothing: there is another one.
std::optional<ByteRange> RangeOf(const Assembler& out, const FusedGroup& group, ByteGrid grid) {
  ByteRange range;
  for (std::size_t i = 1; i + 1 < group.size(); ++i) {
    const Layer& layer = out.layer(group[i]);
    SimpleActivation simple;
    if (IsNothing(layer.op) || OnlyAdds(out, group[i])) continue;
    if (!IsActivation(layer.op) || !IsSimple(layer, simple) || simple.slope != 1) return std::nullopt;
    range.low = std::max(range.low, Nearest(simple.low, grid));
    range.high = std::min(range.high, Nearest(simple.high, grid));
  }
  return range.low < range.high ? std::optional(range) : std::nullopt;
}

// What is added to each output, by the product itself and behind it; empty: nothing.
std::vector<float> OffsetsOf(const Assembler& out, const FusedGroup& group, std::size_t outputs) {
  const ModelWeights of{out.model(), *out.spec().weights};
  const float* const bias = of.Of(group[0], "bias");
  std::vector<float> offsets;
  if (bias != nullptr) offsets.assign(bias, bias + outputs);
  if (std::none_of(group.begin(), group.end(), [&](LayerId id) { return OnlyAdds(out, id); })) return offsets;
  offsets.resize(outputs);
  const ChannelAffine added = AffineOf(of, group, static_cast<std::int64_t>(outputs));
  for (std::size_t i = 0; i < outputs; ++i) offsets[i] += static_cast<float>(added.offset[i]);
  return offsets;
}

// `fc` is a convolution of one position. Nothing where the weights are no multiples that bytes hold.
std::optional<ByteWeights> WeightsOf(const Assembler& out, const FusedGroup& group, ByteGrid in) {
  const std::string& name = out.layer(group[0]).name;
  const Weights& all = *out.spec().weights;
  const std::vector<float>& weight = all.at({name, "weight"}).values;
  ByteWeights bytes;
  bytes.steps = all.at({name, "step"}).values;
  const std::size_t each = weight.size() / bytes.steps.size();
  std::vector<double> multiples;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    multiples.push_back(std::nearbyint(weight[i] / bytes.steps[i / each]));
    if (!std::isfinite(multiples.back())) return std::nullopt;
    low = std::min(low, multiples.back());
    high = std::max(high, multiples.back());
  }
  if (low < -128 || high > 127) {
    const bool one_step = std::ranges::count(bytes.steps, bytes.steps[0]) == std::ssize(bytes.steps);
    if (!one_step || high - low > 255) return std::nullopt;
    bytes.zero = static_cast<std::int32_t>(-128 - low);
  }
  for (const double multiple : multiples) {
    bytes.values.push_back(static_cast<std::int8_t>(multiple + bytes.zero));
  }
  const std::vector<float> offsets = OffsetsOf(out, group, bytes.steps.size());
  for (std::size_t output = 0; output < offsets.size(); ++output) {
    const double multiple = offsets[output] / (static_cast<double>(in.scale) * bytes.steps[output]);
    if (!(std::abs(multiple) < 0x1p31)) return std::nullopt;
    bytes.bias.push_back(static_cast<std::int32_t>(std::nearbyint(multiple)));
  }
  return bytes;
}

void AddBytes(Assembler& out, const FusedGroup& group, const std::string& how,
              std::unique_ptr<XnnBytes> kernel, const std::vector<ValueId>& from, ValueId to) {
  const std::int64_t bytes = kernel->Bytes();
  const ValueId a = from[0], b = from.back();
  out.AddKernel(
      group, how, from, {to},
      [=, kernel = std::move(kernel)](const Addresses& at) {
        kernel->Run(reinterpret_cast<const std::int8_t*>(at[a]), reinterpret_cast<const std::int8_t*>(at[b]),
                    reinterpret_cast<std::int8_t*>(at[to]));
      },
      bytes);
}

// Are bytes, channels last, in the order of the numbers?
bool LiePlain(const Shape& shape) { return shape.size() != 4 || shape[1] == 1 || shape[2] * shape[3] == 1; }

// A row of a matrix is an image of one position.
XnnConvProblem FcOf(const Shape& in, const FcAttributes& a) {
  XnnConvProblem p;
  p.in_channels =
      Elements(Shape(in.begin() + static_cast<std::ptrdiff_t>(AxisFromFront(a.axis, in)), in.end()));
  p.images = Elements(in) / p.in_channels;
  p.in_height = p.in_width = 1;
  p.out_channels = a.out_features;
  return p;
}

bool EmitProduct(Assembler& out, const FusedGroup& group, ByteGrid to) {
  const Layer& layer = out.layer(group[0]);
  const Shape& shape = out.layer(layer.inputs[0]).output;
  const bool conv = layer.op == Op::kConv;
  if (!conv && !(LiePlain(shape) && LiePlain(layer.output))) return false;
  const auto in = GridOfInput(out, group[0]);
  const auto range = RangeOf(out, group, to);
  if (!in || !range) return false;
  const auto weights = WeightsOf(out, group, *in);
  if (!weights) return false;
  const XnnConvProblem problem = conv ? XnnProblemOf(shape, layer.output, layer.As<ConvAttributes>())
                                      : FcOf(shape, layer.As<FcAttributes>());
  auto kernel = MakeXnnByteConv(problem, *in, to, *range, *weights, out.team().size());
  if (!kernel) return false;
  const ValueId from = out.NeedBytes(layer.inputs[0], *in);
  AddBytes(out, group, std::string(OpName(layer.op)) + " xnnpack, int8", std::move(kernel), {from},
           out.MakeBytes(group.back(), to));
  return true;
}

bool EmitSum(Assembler& out, const FusedGroup& group, ByteGrid to) {
  const Layer& sum = out.layer(group[0]);
  const auto a = GridOfInput(out, group[0], 0), b = GridOfInput(out, group[0], 1);
  const auto range = RangeOf(out, group, to);
  if (!a || !b || !range) return false;
  auto kernel = MakeXnnByteSum(Elements(sum.output), *a, *b, to, *range, out.team().size());
  if (!kernel) return false;
  const ValueId x = out.NeedBytes(sum.inputs[0], *a), y = out.NeedBytes(sum.inputs[1], *b);
  AddBytes(out, group, "sum xnnpack, int8", std::move(kernel), {x, y}, out.MakeBytes(group.back(), to));
  return true;
}

bool EmitMean(Assembler& out, const FusedGroup& group, ByteGrid to) {
  const Layer& pool = out.layer(group[0]);
  const Shape& shape = out.layer(pool.inputs[0]).output;
  const auto in = GridOfInput(out, group[0]);
  const auto range = RangeOf(out, group, to);
  if (!in || !range || shape.size() != 4) return false;
  auto kernel = MakeXnnByteMean(shape[0], shape[2] * shape[3], shape[1], *in, to, *range, out.team().size());
  if (!kernel) return false;
  const ValueId from = out.NeedBytes(pool.inputs[0], *in);
  AddBytes(out, group, "mean xnnpack, int8", std::move(kernel), {from}, out.MakeBytes(group.back(), to));
  return true;
}

// Of what lies on a grid; the greatest of some of its numbers does, too.
bool EmitMaxPool(Assembler& out, const FusedGroup& group) {
  const Layer& pool = out.layer(group[0]);
  const auto& a = pool.As<PoolAttributes>();
  const Shape &in = out.layer(pool.inputs[0]).output, &to = pool.output;
  const auto grid = GridOfInput(out, group[0]);
  if (!grid || group.size() > 1 || a.global || !(a.adaptive == Extent{0, 0}) || a.kernel.h * a.kernel.w < 2)
    return false;
  auto kernel = MakeXnnByteMaxPool(XnnProblemOf(in, to, a), out.team().size());
  if (!kernel) return false;
  const ValueId from = out.NeedBytes(pool.inputs[0], *grid);
  AddBytes(out, group, "max_pool xnnpack, int8", std::move(kernel), {from},
           out.MakeBytes(group.back(), *grid));
  return true;
}

// What each byte of one grid is on another.
std::vector<std::int8_t> Becomes(ByteGrid in, ByteGrid to) {
  std::vector<std::int8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::int8_t{-128});
  std::vector<float> numbers(bytes.size());
  const auto count = static_cast<std::int64_t>(bytes.size());
  RunFromBytes({1, count, 1, in.scale, in.zero}, bytes.data(), numbers.data());
  RunToBytes({1, count, 1, to.scale, to.zero}, numbers.data(), bytes.data());
  return bytes;
}

// The shape in the order in which bytes lie: channels last.
Shape AsBytesLie(const Shape& shape) {
  return shape.size() == 4 ? Shape{shape[0], shape[2], shape[3], shape[1]} : shape;
}

// From there on what is joined lies together.
std::size_t AxisOfBytes(const Layer& concat) {
  constexpr std::size_t kLast[] = {0, 3, 1, 2};
  const std::size_t axis = AxisFromFront(concat.As<AxisAttributes>().axis, concat.output);
  return concat.output.size() == 4 ? kLast[axis] : axis;
}

std::int64_t ElementsFrom(const Shape& shape, std::size_t axis) {
  return Elements(Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()));
}

bool EmitJoined(Assembler& out, const FusedGroup& group, ByteGrid to) {
  const Layer& concat = out.layer(group[0]);
  const auto vanishes = [&](LayerId id) { return IsNothing(out.layer(id).op); };
  if (!std::all_of(group.begin() + 1, group.end() - 1, vanishes)) return false;
  const std::size_t axis = AxisOfBytes(concat);
  std::vector<ByteGrid> grids;
  for (std::size_t i = 0; i < concat.inputs.size(); ++i) {
    const auto grid = GridOfInput(out, group[0], i);
    if (!grid) return false;
    grids.push_back(*grid);
  }
  std::vector<JoinedBytes> parts;
  std::vector<ValueId> from;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    parts.push_back({ElementsFrom(AsBytesLie(out.layer(concat.inputs[i]).output), axis),
                     grids[i] == to ? std::vector<std::int8_t>{} : Becomes(grids[i], to)});
    from.push_back(out.NeedBytes(concat.inputs[i], grids[i]));
  }
  const std::int64_t rows = Elements(concat.output) / ElementsFrom(AsBytesLie(concat.output), axis);
  const ValueId joined = out.MakeBytes(group.back(), to);
  out.AddKernel(group, "concat, int8", from, {joined}, [=, parts = std::move(parts)](const Addresses& at) {
    std::vector<const std::int8_t*> bytes;
    for (const ValueId value : from) bytes.push_back(reinterpret_cast<const std::int8_t*>(at[value]));
    JoinBytes(rows, parts, bytes, reinterpret_cast<std::int8_t*>(at[joined]));
  });
  return true;
}

// Bytes stay where they are: in a row, or as they lie where nothing is done to them.
bool EmitView(Assembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const LayerId input = layer.inputs[0];
  const Shape& in = out.layer(input).output;
  if (group.size() > 1 || !out.IsMade(input) || out.LayoutOf(input) != Layout::kBytes) return false;
  if (!IsNothing(layer.op) && !(LiePlain(in) && LiePlain(layer.output))) return false;
  out.Define(group[0], out.ValueOf(input), Layout::kBytes);
  return true;
}

// Without what vanishes at the group's end, but for its first.
FusedGroup WithoutEnd(const Assembler& out, const FusedGroup& group) {
  FusedGroup working = group;
  while (working.size() > 1 && IsNothing(out.layer(working.back()).op)) working.pop_back();
  return working;
}

// Of a group without such an end.
bool EmitWorking(Assembler& out, const FusedGroup& group) {
  const Layer& first = out.layer(group[0]);
  if (first.op == Op::kMaxPool) return EmitMaxPool(out, group);
  if (IsNothing(first.op) || first.op == Op::kFlatten || first.op == Op::kReshape)
    return EmitView(out, group);
  const Layer& last = out.layer(group.back());
  if (last.op != Op::kQuantize) return false;
  const ByteGrid to = GridFor(last.As<QuantizeAttributes>());
  if (group.size() == 1) {
    out.AddToBytes(last.inputs[0], group[0], to);
    return true;
  }
  if (first.op == Op::kConv || first.op == Op::kFc) return EmitProduct(out, group, to);
  if (first.op == Op::kConcat) return EmitJoined(out, group, to);
  return first.op == Op::kAvgPool ? EmitMean(out, group, to) : EmitSum(out, group, to);
}

}  // namespace

bool EmitBytes(Assembler& out, const FusedGroup& group) {
  if (!EmitWorking(out, WithoutEnd(out, group))) return false;
  PassOn(out, group);
  return true;
}

void EmitAsNumbers(Assembler& out, const FusedGroup& group) {
  const FusedGroup working = WithoutEnd(out, group);
  const LayerId last = working.back();
  const bool on_grid = working.size() > 1 && out.layer(last).op == Op::kQuantize;
  const FusedGroup numbers = on_grid ? FusedGroup(working.begin(), working.end() - 1) : group;
  for (const LayerId id : numbers) {
    for (const LayerId input : out.layer(id).inputs) {
      if (out.IsMade(input) && out.LayoutOf(input) == Layout::kBytes) out.Prefer(input, Layout::kPlain);
    }
  }
  EmitGroup(out, numbers);
  if (on_grid && !EmitBytes(out, {last})) EmitGroup(out, {last});
  PassOn(out, group);
}

}  // namespace tandem
