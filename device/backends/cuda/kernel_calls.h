// What the kernels of our own are asked for, as plain data. C++17 and nothing of the project: nvcc of CUDA 11
// reads this. The same sources are compiled for the host by the tests, which hold them to the reference.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::gpu {

enum class Element : unsigned char { kFloat, kHalf };

constexpr int kMostAxes = 8;  // after axes that lie together were merged

// One number in, one out.
struct Function {
  enum Kind : int {
    kNone,
    kRelu,
    kRelu6,
    kLeakyRelu,  // alpha: slope
    kElu,        // alpha
    kSigmoid,
    kHardSigmoid,  // alpha * x + beta, held to [0, 1]
    kHardSwish,
    kTanh,
    kSoftplus,
    kGelu,
    kErf,
    kExp,
    kLog,
    kSqrt,
    kAbs,
    kNeg,
    kClip,     // [alpha, beta]
    kQuantize  // whole multiples of alpha, from beta times it to beta + 255 times
  };
  int kind = kNone;
  float alpha = 0, beta = 0;
};

// y = after(before(x * factor[c] + offset[c]) + added), c = i / inner % channels. Where a pointer is null: 1,
// 0, nothing added. With `slope` (of `slopes` numbers, 1 or channels) negative values are multiplied by it in
// between (prelu). y may be x or added. Without factor, offset and slope it serves activations and sums.
struct ChannelCall {
  Element element = Element::kFloat;
  const void *x = nullptr, *added = nullptr;
  void* y = nullptr;
  std::int64_t count = 0, inner = 1, channels = 1;
  const float *factor = nullptr, *offset = nullptr, *slope = nullptr;
  std::int64_t slopes = 1;
  Function before, after;
};

enum class Binary : unsigned char { kAdd, kSub, kMul, kDiv, kPow, kMax, kMin };

// y (dense) = function(op(a_factor * a, b_factor * b)); a and b step through memory by their own strides, in
// elements, 0 where they are broadcast. A float constant may stand for either operand's memory.
struct BinaryCall {
  Element element = Element::kFloat;
  Element a_element = Element::kFloat, b_element = Element::kFloat;
  Binary op = Binary::kAdd;
  const void *a = nullptr, *b = nullptr;
  void* y = nullptr;
  int axes = 0;
  std::int64_t counts[kMostAxes] = {}, a_stride[kMostAxes] = {}, b_stride[kMostAxes] = {};
  float a_factor = 1, b_factor = 1;
  Function function;
};

// Every element (i0, i1, ...) of `counts` is read from x at the sum of p(axis) * x_stride, p = table[axis][i]
// where there is a table, else i, and written to y at the sum of i * y_stride. A table's -1: `fill` is
// written. Serves copies, changes of layout and type, transpose, concat, slice, pad, nearest upsampling.
struct GatherCall {
  Element from = Element::kFloat, to = Element::kFloat;
  const void* x = nullptr;
  void* y = nullptr;
  int axes = 0;
  std::int64_t counts[kMostAxes] = {}, x_stride[kMostAxes] = {}, y_stride[kMostAxes] = {};
  const std::int32_t* table[kMostAxes] = {};  // in the card's memory
  float fill = 0;
};

// Strides in elements: of NCHW or NHWC, padding of neither.
struct Image {
  std::int64_t n = 1, c = 1, h = 1, w = 1;
  std::int64_t n_stride = 0, c_stride = 0, h_stride = 0, w_stride = 1;
};

// Linear: attributes.h has the rule.
struct ResizeCall {
  Element element = Element::kFloat;
  const void* x = nullptr;
  void* y = nullptr;
  Image in, out;
  double scale_h = 1, scale_w = 1;
  double shift = 0.5;
};

struct PoolCall {
  Element element = Element::kFloat;
  bool max = true, count_padding = false;
  const void* x = nullptr;
  void* y = nullptr;
  Image in, out;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool adaptive_h = false, adaptive_w = false;
};

struct LrnCall {
  Element element = Element::kFloat;
  const void* x = nullptr;
  void* y = nullptr;
  Image in;  // y is laid out the same
  std::int64_t size = 5;
  float alpha = 1e-4f, beta = 0.75f, k = 1;
  bool within_channel = false;
};

// Rows of `length` elements `step` apart; row (o, i) of outer x inner begins at o * outer_stride + i. y has
// the layout of x. gamma and beta by place in the row.
struct RowsCall {
  Element element = Element::kFloat;
  bool softmax = true;  // else layer_norm
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t outer = 1, inner = 1, length = 1, step = 1, outer_stride = 1;
  const float *gamma = nullptr, *beta = nullptr;
  float epsilon = 0;
};

// y (dense over `kept`) = mean over `reduced`.
struct MeanCall {
  Element element = Element::kFloat;
  const void* x = nullptr;
  void* y = nullptr;
  int kept = 0, reduced = 0;
  std::int64_t kept_counts[kMostAxes] = {}, kept_stride[kMostAxes] = {};
  std::int64_t reduced_counts[kMostAxes] = {}, reduced_stride[kMostAxes] = {};
};

// Groups of one input channel each: output channel c reads input channel c / (out.c / in.c). Weights (out.c,
// kernel_h, kernel_w) in the element of the tensors, or for NHWC (kernel_h, kernel_w, out.c).
// y = after(before(conv + bias[c]) + added).
struct DepthwiseCall {
  Element element = Element::kFloat;
  bool channels_last = false;
  const void *x = nullptr, *weight = nullptr, *added = nullptr;
  const float* bias = nullptr;
  void* y = nullptr;
  Image in, out;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  Function before, after;
};

// y[row][o] = function(sum x[row][f] * weight[o][f] + bias[o]), sums in float; for few rows.
struct MatvecCall {
  Element element = Element::kFloat;
  const void *x = nullptr, *weight = nullptr;
  const float* bias = nullptr;
  void* y = nullptr;
  std::int64_t rows = 1, features = 1, outputs = 1;
  Function function;
};

// Keeps `blocks` multiprocessors' worth of the card busy adding for so many rounds: the load of others.
struct BurnCall {
  float* values = nullptr;  // blocks * 256
  int blocks = 1;
  std::int64_t rounds = 1;
};

// Each starts its kernel on the stream (a cudaStream_t) and comes back at once; what it returns is a
// cudaError_t, 0 where all is well.
struct KernelTable {
  int (*channel)(const ChannelCall&, void* stream);
  int (*binary)(const BinaryCall&, void* stream);
  int (*gather)(const GatherCall&, void* stream);
  int (*resize)(const ResizeCall&, void* stream);
  int (*pool)(const PoolCall&, void* stream);
  int (*lrn)(const LrnCall&, void* stream);
  int (*rows)(const RowsCall&, void* stream);
  int (*mean)(const MeanCall&, void* stream);
  int (*depthwise)(const DepthwiseCall&, void* stream);
  int (*matvec)(const MatvecCall&, void* stream);
  int (*burn)(const BurnCall&, void* stream);
};

// Those of the card.
const KernelTable& CardKernels();

}  // namespace tandem::gpu
