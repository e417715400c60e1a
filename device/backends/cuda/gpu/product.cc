#include "device/backends/cuda/gpu/product.h"

#include "device/backends/cuda/gpu/weights.h"
#include "profiles/base/check.h"

namespace tandem::gpu {
namespace {

Image ImageOf(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, Format format) {
  if (format == Format::kNhwc) return {n, c, h, w, c * h * w, 1, w * c, c};
  return {n, c, h, w, c * h * w, h * w, w, 1};
}

bool HasTail(const GpuProduct& product) {
  return product.bias || product.added || product.before.kind != Function::kNone;
}

void AddTail(CardStream& stream, ChannelCall call, const ProductOperands& to) {
  call.x = call.y = to.y;
  call.added = to.added;
  call.offset = to.bias;
  stream.Run(call);
}

ProductStarter FusedStarter(Card& card, const GpuProduct& product, const ConvWay& way) {
  return [conv = std::shared_ptr<Conv>(card.MakeConv(FusedProblem(product), way))](
             CardStream& stream, const ProductOperands& to) {
    stream.Run(*conv, {to.x, to.weight, to.added, to.typed_bias, to.y, to.workspace});
  };
}

ProductStarter SplitStarter(Card& card, const GpuProduct& product, const ConvWay& way) {
  return [conv = std::shared_ptr<Conv>(card.MakeConv(product.problem, way)), tail = TailCall(product),
          has_tail = HasTail(product)](CardStream& stream, const ProductOperands& to) {
    stream.Run(*conv, {to.x, to.weight, nullptr, nullptr, to.y, to.workspace});
    if (has_tail) AddTail(stream, tail, to);
  };
}

// Of a call to a kernel that does the product and all that is behind it.
template <class Call>
ProductStarter StarterOf(Call call) {
  return [call](CardStream& stream, const ProductOperands& to) mutable {
    call.x = to.x;
    call.weight = to.weight;
    call.bias = to.bias;
    if constexpr (requires { call.added; }) call.added = to.added;
    call.y = to.y;
    stream.Run(call);
  };
}

ProductStarter DepthwiseStarter(const GpuProduct& product) {
  const CardConv& p = product.problem;
  DepthwiseCall call;
  call.element = p.element;
  call.channels_last = p.format == Format::kNhwc;
  call.in = ImageOf(p.n, p.in_c, p.in_h, p.in_w, p.format);
  call.out = ImageOf(p.n, p.out_c, p.out_h, p.out_w, p.format);
  call.kernel_h = p.kernel.h;
  call.kernel_w = p.kernel.w;
  call.stride_h = p.stride.h;
  call.stride_w = p.stride.w;
  call.dilation_h = p.dilation.h;
  call.dilation_w = p.dilation.w;
  call.pad_top = p.pad_h;
  call.pad_left = p.pad_w;
  call.before = product.before;
  call.after = product.after;
  return StarterOf(call);
}

// Pixels are rows where channels lie last, columns of each image where they lie first.
ProductStarter GemmStarter(const GpuProduct& product) {
  const CardConv& p = product.problem;
  const std::int64_t pixels = p.in_h * p.in_w;
  const bool rows = p.format == Format::kNhwc || pixels == 1;
  GemmCall call;
  call.element = p.element;
  call.math = p.math;
  call.k = p.in_c;
  call.transpose_b = rows;
  call.m = rows ? p.n * pixels : p.out_c;
  call.n = rows ? p.out_c : pixels;
  if (!rows) {
    call.batch = p.n;
    call.b_stride = p.in_c * pixels;
    call.c_stride = p.out_c * pixels;
  }
  return [call, rows, tail = TailCall(product), has_tail = HasTail(product)](
             CardStream& stream, const ProductOperands& to) mutable {
    call.a = rows ? to.x : to.weight;
    call.b = rows ? to.weight : to.x;
    call.c = to.y;
    stream.Run(call);
    if (has_tail) AddTail(stream, tail, to);
  };
}

ProductStarter MatvecStarter(const GpuProduct& product) {
  const CardConv& p = product.problem;
  MatvecCall call;
  call.element = p.element;
  call.rows = p.n;
  call.features = p.in_c;
  call.outputs = p.out_c;
  call.function = product.before;
  return StarterOf(call);
}

}  // namespace

CardConv FusedProblem(const GpuProduct& product) {
  CardConv problem = product.problem;
  problem.bias = true;
  problem.added = product.added;
  problem.relu = (product.added ? product.after : product.before).kind == Function::kRelu;
  return problem;
}

ChannelCall TailCall(const GpuProduct& product) {
  const CardConv& p = product.problem;
  ChannelCall call;
  call.element = p.element;
  call.count = product.out_count();
  call.inner = p.format == Format::kNhwc ? 1 : p.out_h * p.out_w;
  call.channels = p.out_c;
  call.before = product.before;
  call.after = product.after;
  return call;
}

ProductStarter StarterOf(Card& card, const GpuProduct& product, const ProductChoice& choice) {
  switch (choice.kind) {
    case ProductKind::kFused:
      return FusedStarter(card, product, choice.way);
    case ProductKind::kSplit:
      return SplitStarter(card, product, choice.way);
    case ProductKind::kDepthwise:
      return DepthwiseStarter(product);
    case ProductKind::kGemm:
      return GemmStarter(product);
    case ProductKind::kMatvec:
      return MatvecStarter(product);
    case ProductKind::kNone:
      break;
  }
  TANDEM_CHECK(false, "only what can be computed is started");
}

std::int64_t CountWeights(const GpuProduct& product) {
  const CardConv& p = product.problem;
  return p.in_c * p.out_c / p.groups * p.kernel.h * p.kernel.w;
}

// The model has (out, in / groups, h, w), deconv (in, out / groups, h, w).
std::vector<float> PackedWeights(const GpuProduct& product, const ProductChoice& choice,
                                 const float* weights) {
  const CardConv& p = product.problem;
  const std::int64_t window = p.kernel.h * p.kernel.w;
  if (p.format == Format::kNchw || window == 1) return {weights, weights + CountWeights(product)};
  if (choice.kind == ProductKind::kDepthwise) return SecondAxisLast(weights, 1, p.out_c, window);
  const std::int64_t outer = p.transposed ? p.in_c : p.out_c;
  return SecondAxisLast(weights, outer, CountWeights(product) / (outer * window), window);
}

std::string HowOf(const GpuProduct& product, const ProductChoice& choice, const std::string& tail) {
  std::string how = choice.way.name;
  if (choice.kind == ProductKind::kDepthwise) how = "by channel";
  if (choice.kind == ProductKind::kGemm) how = "gemm";
  if (choice.kind == ProductKind::kMatvec) how = "by rows";
  if (choice.tried == TriedWays::kNone) how += kUntried;
  if (choice.tried == TriedWays::kFew) how += kFewTried;
  if (!product.fully_connected) how += product.problem.format == Format::kNhwc ? ", nhwc" : ", nchw";
  const bool two = choice.kind == ProductKind::kSplit || choice.kind == ProductKind::kGemm;
  const std::string rest = (product.bias ? ", bias" : "") + tail;
  return rest.empty() ? how : how + (two ? ", then" + rest.substr(1) : rest);
}

}  // namespace tandem::gpu
