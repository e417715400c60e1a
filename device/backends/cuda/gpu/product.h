// Convolutions and fully connected layers with what follows them, and the ways to compute them: by cuDNN, as
// one product of matrices, by kernels of our own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backends/cuda/gpu/context.h"

namespace tandem::gpu {

// y = after(before(product + bias) + added). A fully connected layer is a 1x1 convolution of an image of one
// element.
struct GpuProduct {
  CardConv problem;  // nothing fused
  bool fully_connected = false;
  bool bias = false, added = false;
  Function before, after;
  bool own_kernel_only = false;  // its padding is not the same on both sides
  std::int64_t out_count() const { return problem.n * problem.out_c * problem.out_h * problem.out_w; }
};

enum class ProductKind : std::uint8_t { kNone, kFused, kSplit, kDepthwise, kGemm, kMatvec };

// Of the ways to compute it. kNone: it is the first that works, when there was no time left for trials.
enum class TriedWays : std::uint8_t { kAll, kFew, kNone };

struct ProductChoice {
  ProductKind kind = ProductKind::kNone;
  ConvWay way;          // of kFused and kSplit
  std::string trouble;  // of kNone
  TriedWays tried = TriedWays::kAll;
};

// Everything lies on the card. `bias` is in float, `typed_bias` in the element of the tensors.
struct ProductOperands {
  const void *x = nullptr, *weight = nullptr, *added = nullptr, *typed_bias = nullptr;
  const float* bias = nullptr;
  void *y = nullptr, *workspace = nullptr;
};
using ProductStarter = std::function<void(CardStream&, const ProductOperands&)>;

// The fastest that was found by running all, as long as there is time for trials; what was measured is kept
// for the life of the process. Of kind kNone where the card has no way. Throws std::bad_alloc.
ProductChoice ChooseProduct(GpuContext& context, const GpuProduct& product);
// "nchw fp32, fused 1003 65536 engine 12": the way's algorithm, workspace and name, where it is the card's;
// behind it whether all were tried.
std::string ChoiceText(const GpuProduct& product, const ProductChoice& choice);
// All that the times depend on, under which choices are kept for whoever computes the same: "conv
// 1x64x56x56 to 64x56x56, kernel 3x3, ..., nchw fp32".
std::string ProblemText(const GpuProduct& product);
// The choice of that text, and what starts it, which ran once; nothing where it is none for this product or
// does not work here.
struct TakenProduct {
  ProductChoice choice;
  ProductStarter start;
};
std::optional<TakenProduct> TakeProduct(GpuContext& context, const GpuProduct& product,
                                        const std::string& text);
// What starts it that way; allocates now and not when it is called.
ProductStarter StarterOf(Card& card, const GpuProduct& product, const ProductChoice& choice);
// The model's weights in the order in which that way reads them.
std::vector<float> PackedWeights(const GpuProduct& product, const ProductChoice& choice,
                                 const float* weights);
std::int64_t CountWeights(const GpuProduct& product);
// "implicit_gemm, nhwc, bias, relu"
std::string HowOf(const GpuProduct& product, const ProductChoice& choice, const std::string& tail);
// With bias, sum and relu done by the same call; a bias of zeros where there is none.
CardConv FusedProblem(const GpuProduct& product);
// bias, functions and sum over the finished product, in place; `x` and `y` are yet to be told.
ChannelCall TailCall(const GpuProduct& product);

}  // namespace tandem::gpu
