#include "tests/support/device/random_layer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace tandem {

OperationCase OneLayer(const char* name, Op op, Attributes attributes, std::vector<Shape> inputs) {
  return {name, {"x", op, std::move(attributes), {}}, std::move(inputs)};
}

OperationCase RandomLayer::Next() {
  const std::size_t rank = static_cast<std::size_t>(Between(2, 5));
  switch (Between(0, 9)) {
    case 0:
      return OneLayer("transpose", Op::kTranspose, TransposeAttributes{Order(rank)}, {Any(rank)});
    case 1:
      return Slice(Any(rank));
    case 2:
      return PadOf(Any(rank));
    case 3:
      return Broadcast(Any(rank));
    case 4:
      return OneLayer("softmax", Op::kSoftmax,
                      AxisAttributes{Between(0, static_cast<std::int64_t>(rank) - 1)}, {Any(rank)});
    case 5:
      return Mean(Any(rank));
    case 6:
      return PoolOf(Op::kMaxPool);
    case 7:
      return PoolOf(Op::kAvgPool);
    case 8: {
      const auto mode = Between(0, 1) == 0 ? UpsampleMode::kNearest : UpsampleMode::kLinear;
      Shape in = Any(4);
      in[2] += 1;  // something is left where the scale is below 1
      in[3] += 1;
      UpsampleAttributes a{Scale(), Scale(), mode};
      if (mode == UpsampleMode::kLinear) a.align = static_cast<UpsampleAlign>(Between(0, 2));
      return OneLayer("upsample", Op::kUpsample, a, {in});
    }
    default:
      return OneLayer("lrn", Op::kLrn, LrnOf(), {Any(4)});
  }
}

std::int64_t RandomLayer::Between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(high - low + 1));
}

double RandomLayer::Scale() { return static_cast<double>(Between(4, 20)) / 7; }

Shape RandomLayer::Any(std::size_t rank) {
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(Between(1, i + 1 == rank ? 70 : rank > 3 ? 7 : 20));
  return shape;
}

std::vector<std::int64_t> RandomLayer::Order(std::size_t rank) {
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = rank; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return order;
}

OperationCase RandomLayer::Slice(const Shape& in) {
  SliceAttributes a;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (Between(0, 1) == 0) continue;
    const std::int64_t start = Between(0, in[i] - 1);
    a.axes.push_back(static_cast<std::int64_t>(i));
    a.starts.push_back(start - (Between(0, 1) == 0 ? in[i] : 0));
    a.ends.push_back(Between(start + 1, in[i] + 2));
    a.steps.push_back(Between(1, 3));
  }
  return OneLayer("slice", Op::kSlice, a, {in});
}

OperationCase RandomLayer::PadOf(const Shape& in) {
  PadAttributes a;
  a.mode = kPadModeNames[static_cast<std::size_t>(Between(0, 2))].value;
  a.value = 0.5;
  for (const std::int64_t extent : in) {
    const std::int64_t most = a.mode == PadMode::kReflect ? std::min<std::int64_t>(3, extent - 1) : 3;
    a.before.push_back(Between(0, most));
    a.after.push_back(Between(0, most));
  }
  return OneLayer("pad", Op::kPad, a, {in});
}
// Axes of the second operand, some of them in front, are one or missing.

OperationCase RandomLayer::Broadcast(const Shape& in) {
  Shape other = in;
  for (std::int64_t& extent : other) extent = Between(0, 1) == 0 ? 1 : extent;
  other.erase(other.begin(), other.begin() + Between(0, static_cast<std::int64_t>(in.size())));
  const Op op =
      std::array{Op::kAdd, Op::kSub, Op::kMul, Op::kMax, Op::kMin}[static_cast<std::size_t>(Between(0, 4))];
  if (Between(0, 1) == 0)
    return OneLayer("constant", op, ElementwiseAttributes{{}, true, other, Between(0, 1) == 0}, {in});
  return OneLayer("elementwise", op, ElementwiseAttributes{},
                  Between(0, 1) == 0 ? std::vector{in, other} : std::vector{other, in});
}

OperationCase RandomLayer::Mean(const Shape& in) {
  ReduceAttributes a;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (Between(0, 1) == 0) a.axes.push_back(static_cast<std::int64_t>(i));
  }
  return OneLayer("reduce_mean", Op::kReduceMean, a, {in});
}

OperationCase RandomLayer::PoolOf(Op op) {
  Shape in = Any(4);
  PoolAttributes a;
  if (Between(0, 4) == 0) {
    a.adaptive = {Between(1, 9), Between(1, 9)};
    return OneLayer("adaptive", op, a, {in});
  }
  a.kernel = {Between(1, 3), Between(1, 3)};
  a.stride = {Between(1, 3), Between(1, 3)};
  a.ceil_mode = Between(0, 1) == 0;
  a.dilation = {Between(1, 2), Between(1, 2)};
  a.pad = {Between(0, a.kernel.h - 1), Between(0, a.kernel.w - 1), Between(0, a.kernel.h - 1),
           Between(0, a.kernel.w - 1)};
  a.count_include_pad = Between(0, 1) == 0;
  in[2] += (a.kernel.h - 1) * a.dilation.h;
  in[3] += (a.kernel.w - 1) * a.dilation.w;
  return OneLayer("pool", op, a, {in});
}

LrnAttributes RandomLayer::LrnOf() {
  return {Between(1, 6), 0.5, Between(0, 1) == 0 ? 0.75 : 0.6, 2, Between(0, 1) == 0};
}

OperationCase RandomLayer::Depthwise() {
  ConvAttributes a;
  const std::int64_t channels = Between(1, 20), kernel = Between(0, 2);
  a.groups = channels;
  a.out_channels = channels * (Between(0, 3) == 0 ? 2 : 1);
  a.kernel = {kernel == 0   ? 3
              : kernel == 1 ? 5
                            : Between(1, 4),
              kernel == 0   ? 3
              : kernel == 1 ? 5
                            : Between(1, 4)};
  const std::int64_t stride = Between(1, 2);
  a.stride = Between(0, 3) == 0 ? Extent{Between(1, 3), Between(1, 3)} : Extent{stride, stride};
  if (Between(0, 3) == 0) a.dilation = {Between(1, 2), Between(1, 3)};
  a.pad = {Between(0, 2), Between(0, 2), Between(0, 2), Between(0, 2)};
  a.bias = Between(0, 1) == 0;
  const std::int64_t height = (a.kernel.h - 1) * a.dilation.h + Between(1, 12);
  const std::int64_t width = (a.kernel.w - 1) * a.dilation.w + Between(1, 40);
  return OneLayer("depthwise", Op::kConv, a, {{Between(1, 2), channels, height, width}});
}

}  // namespace tandem
