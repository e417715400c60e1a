#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "device/backends/cuda/gpu/form.h"
#include "device/backends/cuda/gpu/product.h"
#include "device/backends/cuda/gpu/trial.h"
#include "device/host/clock.h"
#include "device/processor/processor.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/stored_numbers.h"

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

// At most `most` of each kind that the card's library has.
std::vector<ProductChoice> Candidates(GpuContext& context, const GpuProduct& product, std::size_t most) {
  std::vector<ProductChoice> candidates;
  for (const auto& [kind, name] : kProductKinds) {
    if (!Fits(kind, product)) continue;
    if (!IsOfCard(kind)) {
      candidates.push_back({kind, {}, {}});
      continue;
    }
    const CardConv problem = kind == ProductKind::kFused ? FusedProblem(product) : product.problem;
    for (const ConvWay& way : context.card().ConvWays(problem, context.MostWorkspace(), most))
      candidates.push_back({kind, way, {}});
  }
  return candidates;
}

// Numbers between -1 and 1, over and over: what is multiplied by zero takes less of a card's power, and so
// less time.
void FillWithNumbers(CardStream& stream, const GpuBuffer& buffer, Element element) {
  constexpr std::size_t kNumbers = 1 << 16;
  std::uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525 + 1013904223;
    return static_cast<float>(static_cast<std::int32_t>(state)) / 2147483648.0F;
  };
  std::vector<std::byte> numbers(kNumbers * static_cast<std::size_t>(BytesOf(element)));
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const float value = next();
    const std::uint16_t half = HalfOf(value);
    if (element == Element::kHalf) {
      std::memcpy(&numbers[2 * i], &half, sizeof half);
    } else {
      std::memcpy(&numbers[4 * i], &value, sizeof value);
    }
  }
  for (std::size_t at = 0; at < buffer.bytes(); at += numbers.size()) {
    stream.Copy(buffer.data() + at, numbers.data(), std::min(numbers.size(), buffer.bytes() - at));
  }
  stream.Wait();
}

// Tensors to try candidates on.
struct Bench {
  Bench(GpuContext& context, const GpuProduct& product) {
    const CardConv& p = product.problem;
    const auto filled = [&](std::int64_t count, Element element) {
      GpuBuffer buffer(context.card(), Space::kCard, static_cast<std::size_t>(count * BytesOf(element)));
      FillWithNumbers(context.stream(), buffer, element);
      return buffer;
    };
    x = filled(p.n * p.in_c * p.in_h * p.in_w, p.element);
    weight = filled(CountWeights(product), p.element);
    bias = filled(p.out_c, Element::kFloat);
    typed_bias = filled(p.out_c, p.element);
    if (product.added) added = filled(product.out_count(), p.element);
    y = GpuBuffer(context.card(), Space::kCard,
                  static_cast<std::size_t>(product.out_count() * BytesOf(p.element)));
    operands.x = x.data();
    operands.weight = weight.data();
    operands.added = added.data();
    operands.typed_bias = typed_bias.data();
    operands.bias = product.bias ? reinterpret_cast<const float*>(bias.data()) : nullptr;
    operands.y = y.data();
  }

  GpuBuffer x, weight, bias, typed_bias, added, y;
  ProductOperands operands;
};

// As much as those of the candidates use that there is room for; others are gone then.
GpuBuffer WorkspaceOf(GpuContext& context, std::vector<ProductChoice>& candidates) {
  for (;;) {
    std::size_t most = 0;
    for (const ProductChoice& candidate : candidates) most = std::max(most, candidate.way.workspace);
    try {
      return GpuBuffer(context.card(), Space::kCard, most);
    } catch (const std::bad_alloc&) {
      std::erase_if(candidates, [&](const ProductChoice& one) { return one.way.workspace == most; });
      if (candidates.empty()) throw;
    }
  }
}

// Of the candidates, by what they take in turn; where that is not to be measured the first that works.
class Contest {
 public:
  Contest(GpuContext& context, const GpuProduct& product, std::vector<ProductChoice> candidates)
      : context_(context),
        candidates_(std::move(candidates)),
        bench_(context, product),
        workspace_(WorkspaceOf(context, candidates_)) {
    bench_.operands.workspace = workspace_.data();
    for (const ProductChoice& candidate : candidates_) {
      trials_.push_back({[&, starter = ProductStarter()](CardStream& stream) mutable {
        if (!starter) starter = StarterOf(context.card(), product, candidate);
        starter(stream, bench_.operands);
      }});
    }
  }

  ProductChoice Fastest() {
    TryInTurn(context_, trials_);
    ProductChoice fastest;
    std::optional<Nanos> least;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const std::optional<Nanos> time = trials_[i].time();
      if (!time && !least) fastest.trouble = trials_[i].trouble;
      if (!time || (least && *time >= *least)) continue;
      least = time;
      fastest = candidates_[i];
    }
    return fastest;
  }

  ProductChoice FirstThatWorks() {
    ProductChoice first;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      try {
        trials_[i].start(context_.stream());
        context_.stream().Wait();
        return candidates_[i];
      } catch (const EnvironmentError& error) {
        first.trouble = error.what();
      }
    }
    return first;
  }

 private:
  GpuContext& context_;
  std::vector<ProductChoice> candidates_;
  Bench bench_;
  GpuBuffer workspace_;
  std::vector<Trial> trials_;
};

// Has the card's library more ways than it was asked for?
bool MayBeMore(const std::vector<ProductChoice>& candidates, std::size_t most) {
  for (const ProductKind kind : {ProductKind::kFused, ProductKind::kSplit}) {
    const auto of_kind = [&](const ProductChoice& choice) { return choice.kind == kind; };
    if (static_cast<std::size_t>(std::count_if(candidates.begin(), candidates.end(), of_kind)) >= most)
      return true;
  }
  return false;
}

ProductChoice Chosen(GpuContext& context, const GpuProduct& product) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max(), kFew = 4, kOne = 1;
  const std::lock_guard lock(MeasuringMutex());
  const Nanos begin = SteadyNow(), left = context.TrialsLeft();
  const bool measured = left > Nanos(0);
  const std::size_t most = left > context.options().trials / 2 ? kAll : measured ? kFew : kOne;
  std::vector<ProductChoice> candidates = Candidates(context, product, most);
  const TriedWays tried = !measured                     ? TriedWays::kNone
                          : MayBeMore(candidates, most) ? TriedWays::kFew
                                                        : TriedWays::kAll;
  ProductChoice chosen;
  chosen.trouble = "the card's libraries have no way to compute it";
  if (!candidates.empty()) {
    Contest contest(context, product, std::move(candidates));
    chosen = measured ? contest.Fastest() : contest.FirstThatWorks();
    chosen.tried = tried;
  }
  context.Tried(SteadyNow() - begin);
  return chosen;
}

std::string_view TextOf(TriedWays tried) {
  return tried == TriedWays::kNone ? kUntried : tried == TriedWays::kFew ? kFewTried : std::string_view();
}
TriedWays TriedOf(std::string_view text) {
  if (text.ends_with(kUntried)) return TriedWays::kNone;
  return text.ends_with(kFewTried) ? TriedWays::kFew : TriedWays::kAll;
}

// Kind and way; whether they work is not looked at.
std::optional<ProductChoice> ReadChoice(const GpuProduct& product, const std::string& text) {
  const TriedWays tried = TriedOf(text);
  const std::string way = text.substr(0, text.size() - TextOf(tried).size());
  for (const auto& [kind, name] : kProductKinds) {
    ProductChoice choice{kind, {}, {}};
    const std::string begin = ChoiceText(product, choice);
    choice.tried = tried;
    if (!Fits(kind, product) || !way.starts_with(begin)) continue;
    if (IsOfCard(kind)) {
      std::istringstream rest(way.substr(begin.size()));
      rest >> choice.way.algorithm >> choice.way.workspace;
      std::getline(rest >> std::ws, choice.way.name);
    }
    if (ChoiceText(product, choice) == text) return choice;
  }
  return std::nullopt;
}

// What was measured, for the life of the process: all units of a card agree on the first answer.
class KnownChoices {
 public:
  template <class Choose>
  ProductChoice Get(const GpuContext& context, const GpuProduct& product, Choose choose) {
    const Key key{context.CardName(), product.problem,         product.fully_connected, product.bias,
                  product.added,      product.own_kernel_only, product.before.kind,     product.after.kind};
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(key); known != known_.end()) return known->second;
    }
    ProductChoice found = choose();
    if (found.tried == TriedWays::kNone) return found;
    const std::lock_guard lock(mutex_);
    return known_.emplace(key, std::move(found)).first->second;
  }

 private:
  // All that the times depend on.
  using Key = std::tuple<std::string, CardConv, bool, bool, bool, bool, int, int>;
  std::mutex mutex_;
  std::map<Key, ProductChoice> known_;
};

}  // namespace

std::string ChoiceText(const GpuProduct& product, const ProductChoice& choice) {
  const CardConv& p = product.problem;
  std::string text = p.format == Format::kNhwc ? "nhwc " : "nchw ";
  text += p.element == Element::kHalf ? "fp16, " : "fp32, ";
  for (const auto& [kind, name] : kProductKinds) {
    if (kind == choice.kind) text += name;
  }
  if (!choice.way.name.empty()) {
    text += " " + std::to_string(choice.way.algorithm) + " " + std::to_string(choice.way.workspace) + " " +
            choice.way.name;
  }
  return text.append(TextOf(choice.tried));
}

std::string ProblemText(const GpuProduct& product) {
  const CardConv& p = product.problem;
  const auto size = [](std::initializer_list<std::int64_t> extents) {
    return Joined(extents, "x", [](std::int64_t extent) { return std::to_string(extent); });
  };
  std::string text = product.fully_connected ? "fc " : p.transposed ? "deconv " : "conv ";
  text += size({p.n, p.in_c, p.in_h, p.in_w}) + " to " + size({p.out_c, p.out_h, p.out_w});
  text += ", kernel " + size({p.kernel.h, p.kernel.w}) + ", stride " + size({p.stride.h, p.stride.w}) +
          ", dilation " + size({p.dilation.h, p.dilation.w}) + ", pad " + size({p.pad_h, p.pad_w}) +
          ", groups " + std::to_string(p.groups);
  if (product.bias) text += ", bias";
  if (product.added) text += ", sum";
  if (product.own_kernel_only) text += ", own kernel";
  text += ", functions " + std::to_string(product.before.kind) + " " + std::to_string(product.after.kind);
  text += p.format == Format::kNhwc ? ", nhwc" : ", nchw";
  text += p.element == Element::kHalf ? " fp16" : " fp32";
  return p.math == Math::kTf32 ? text + " tf32" : text;
}

std::optional<TakenProduct> TakeProduct(GpuContext& context, const GpuProduct& product,
                                        const std::string& text) {
  const std::optional<ProductChoice> choice = ReadChoice(product, text);
  if (!choice || choice->way.workspace > context.MostWorkspace()) return std::nullopt;
  if (IsOfCard(choice->kind) && choice->way.name.empty()) return std::nullopt;
  try {
    Bench bench(context, product);
    const GpuBuffer workspace(context.card(), Space::kCard, choice->way.workspace);
    bench.operands.workspace = workspace.data();
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
  static KnownChoices known;
  return known.Get(context, product, [&] { return Chosen(context, product); });
}

}  // namespace tandem::gpu
