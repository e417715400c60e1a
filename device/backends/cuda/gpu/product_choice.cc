#include <array>
#include <new>
#include <sstream>
#include <tuple>

#include "device/backends/cuda/gpu/product.h"
#include "device/backends/cuda/gpu/trial.h"
#include "profiles/base/input_error.h"

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

struct NamedKind {
  ProductKind kind;
  const char* name;
};
// In the order in which they are tried.
constexpr std::array<NamedKind, 5> kProductKinds = {{{ProductKind::kFused, "fused"},
                                                     {ProductKind::kSplit, "split"},
                                                     {ProductKind::kDepthwise, "by channel"},
                                                     {ProductKind::kGemm, "gemm"},
                                                     {ProductKind::kMatvec, "by rows"}}};

bool IsOfCard(ProductKind kind) { return kind == ProductKind::kFused || kind == ProductKind::kSplit; }

bool Fits(ProductKind kind, const GpuProduct& product) {
  const CardConv& p = product.problem;
  switch (kind) {
    case ProductKind::kFused:
      return !product.own_kernel_only && !product.fully_connected && CanFuse(product);
    case ProductKind::kSplit:
      return !product.own_kernel_only && !product.fully_connected;
    case ProductKind::kDepthwise:
      return !p.transposed && p.groups == p.in_c && !product.fully_connected;
    case ProductKind::kGemm:
      return IsGemm(p);
    case ProductKind::kMatvec:
      return IsGemm(p) && p.in_h * p.in_w == 1 && p.n <= kMostMatvecRows && !product.added;
    case ProductKind::kNone:
      break;
  }
  return false;
}

std::vector<ProductChoice> Candidates(GpuContext& context, const GpuProduct& product) {
  std::vector<ProductChoice> candidates;
  for (const auto& [kind, name] : kProductKinds) {
    if (!Fits(kind, product)) continue;
    if (!IsOfCard(kind)) {
      candidates.push_back({kind, {}, {}});
      continue;
    }
    const CardConv problem = kind == ProductKind::kFused ? FusedProblem(product) : product.problem;
    for (const ConvWay& way : context.card().ConvWays(problem, context.MostWorkspace()))
      candidates.push_back({kind, way, {}});
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

// Kind and way; whether they work is not looked at.
std::optional<ProductChoice> ReadChoice(const GpuProduct& product, const std::string& text) {
  for (const auto& [kind, name] : kProductKinds) {
    ProductChoice choice{kind, {}, {}};
    const std::string begin = ChoiceText(product, choice);
    if (!Fits(kind, product) || !text.starts_with(begin)) continue;
    if (IsOfCard(kind)) {
      std::istringstream rest(text.substr(begin.size()));
      rest >> choice.way.algorithm >> choice.way.workspace;
      std::getline(rest >> std::ws, choice.way.name);
    }
    if (ChoiceText(product, choice) == text) return choice;
  }
  return std::nullopt;
}

// All that the times depend on.
using Key = std::tuple<std::string, CardConv, bool, bool, bool, bool, int, int>;

}  // namespace

std::string ChoiceText(const GpuProduct& product, const ProductChoice& choice) {
  const CardConv& p = product.problem;
  std::string text = p.format == Format::kNhwc ? "nhwc " : "nchw ";
  text += p.element == Element::kHalf ? "fp16, " : "fp32, ";
  for (const auto& [kind, name] : kProductKinds) {
    if (kind == choice.kind) text += name;
  }
  if (choice.way.name.empty()) return text;
  return text + " " + std::to_string(choice.way.algorithm) + " " + std::to_string(choice.way.workspace) +
         " " + choice.way.name;
}

std::optional<TakenProduct> TakeProduct(GpuContext& context, const GpuProduct& product,
                                        const std::string& text) {
  const std::optional<ProductChoice> choice = ReadChoice(product, text);
  if (!choice || choice->way.workspace > context.MostWorkspace()) return std::nullopt;
  if (IsOfCard(choice->kind) && choice->way.name.empty()) return std::nullopt;
  try {
    Bench bench(context, product);
    const auto workspace = context.Workspace(choice->way.workspace);
    bench.operands.workspace = workspace->data();
    TakenProduct taken{*choice, StarterOf(context.card(), product, *choice)};
    taken.start(context.stream(), bench.operands);
    context.stream().Wait();
    return taken;
  } catch (const EnvironmentError&) {
  } catch (const std::bad_alloc&) {
  }
  return std::nullopt;
}

ProductChoice ChooseProduct(GpuContext& context, const GpuProduct& product) {
  static KnownChoices<Key, ProductChoice> known;
  const Key key{
      context.card().info().name, product.problem,     product.fully_connected, product.bias, product.added,
      product.own_kernel_only,    product.before.kind, product.after.kind};
  return known.Get(key, [&] { return Measured(context, product); });
}

}  // namespace tandem::gpu
