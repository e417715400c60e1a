#include <tuple>

#include "device/backends/cuda/gpu/product.h"
#include "device/backends/cuda/gpu/trial.h"

namespace tandem::gpu {
namespace {

constexpr std::int64_t kMostMatvecRows = 16;

bool IsNoneOr(const Function& function, Function::Kind kind) {
  return function.kind == Function::kNone || function.kind == kind;
}

bool CanFuse(const GpuProduct& product) {
  if (product.problem.transposed) return false;
  if (product.added) {
    return product.before.kind == Function::kNone && IsNoneOr(product.after, Function::kRelu);
  }
  return (product.bias || product.before.kind != Function::kNone) &&
         IsNoneOr(product.before, Function::kRelu);
}

bool IsGemm(const CardConv& p) {
  const bool dense = p.kernel == Extent{1, 1} && p.stride == Extent{1, 1} && p.pad_h == 0 && p.pad_w == 0;
  return dense && p.groups == 1 && !p.transposed && p.in_h == p.out_h && p.in_w == p.out_w;
}

std::vector<ProductChoice> Candidates(GpuContext& context, const GpuProduct& product) {
  const CardConv& p = product.problem;
  std::vector<ProductChoice> candidates;
  const auto add_ways = [&](ProductKind kind, const CardConv& problem) {
    for (const ConvWay& way : context.card().ConvWays(problem, context.MostWorkspace()))
      candidates.push_back({kind, way, {}});
  };
  if (!product.own_kernel_only && !product.fully_connected) {
    if (CanFuse(product)) add_ways(ProductKind::kFused, FusedProblem(product));
    add_ways(ProductKind::kSplit, p);
  }
  if (!p.transposed && p.groups == p.in_c && !product.fully_connected) {
    candidates.push_back({ProductKind::kDepthwise, {}, {}});
  }
  if (IsGemm(p)) {
    candidates.push_back({ProductKind::kGemm, {}, {}});
    if (p.in_h * p.in_w == 1 && p.n <= kMostMatvecRows && !product.added) {
      candidates.push_back({ProductKind::kMatvec, {}, {}});
    }
  }
  return candidates;
}

// Tensors to try candidates on.
struct Bench {
  Bench(GpuContext& context, const GpuProduct& product) {
    const CardConv& p = product.problem;
    const auto bytes = [&](std::int64_t count) {
      return static_cast<std::size_t>(count * (p.element == Element::kHalf ? 2 : 4));
    };
    Card& card = context.card();
    x = GpuBuffer(card, Space::kCard, bytes(p.n * p.in_c * p.in_h * p.in_w));
    weight = GpuBuffer(card, Space::kCard, bytes(CountWeights(product)));
    bias = GpuBuffer(card, Space::kCard, static_cast<std::size_t>(p.out_c) * sizeof(float));
    y = GpuBuffer(card, Space::kCard, bytes(product.out_count()));
    if (product.added) added = GpuBuffer(card, Space::kCard, y.bytes());
    for (const GpuBuffer* buffer : {&x, &weight, &bias, &added}) {
      if (buffer->bytes() > 0) context.stream().Fill(buffer->data(), buffer->bytes());
    }
    operands.x = x.data();
    operands.weight = weight.data();
    operands.added = added.data();
    operands.typed_bias = bias.data();
    operands.bias = product.bias ? reinterpret_cast<const float*>(bias.data()) : nullptr;
    operands.y = y.data();
  }

  GpuBuffer x, weight, bias, added, y;
  ProductOperands operands;
};

ProductChoice Measured(GpuContext& context, const GpuProduct& product) {
  const std::lock_guard lock(MeasuringMutex());
  std::vector<ProductChoice> candidates = Candidates(context, product);
  ProductChoice best;
  best.trouble = "the card's libraries have no way to compute it";
  if (candidates.empty()) return best;
  Bench bench(context, product);
  std::optional<Nanos> least;
  for (const ProductChoice& candidate : candidates) {
    const auto workspace = context.Workspace(candidate.way.workspace);
    bench.operands.workspace = workspace->data();
    const std::optional<Nanos> time = TrialTime(
        context,
        [&, starter = ProductStarter()](CardStream& stream) mutable {
          if (!starter) starter = StarterOf(context.card(), product, candidate);
          starter(stream, bench.operands);
        },
        least, best.trouble);
    if (!time || (least && *time >= *least)) continue;
    least = time;
    best = candidate;
  }
  return best;
}

// All that the times depend on.
using Key = std::tuple<std::string, CardConv, bool, bool, bool, bool, int, int>;

}  // namespace

ProductChoice ChooseProduct(GpuContext& context, const GpuProduct& product) {
  static KnownChoices<Key, ProductChoice> known;
  const Key key{
      context.card().info().name, product.problem,     product.fully_connected, product.bias, product.added,
      product.own_kernel_only,    product.before.kind, product.after.kind};
  return known.Get(key, [&] { return Measured(context, product); });
}

}  // namespace tandem::gpu
