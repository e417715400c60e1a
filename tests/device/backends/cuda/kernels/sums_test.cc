// Sums of the cuda backend's kernels around the borders of warps, blocks and runs: rows, means, products of
// few rows, windows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/cuda_on_host/card_tensor.h"
#include "tests/support/device/cuda_on_host/host_kernels.h"

namespace tandem::gpu {
namespace {

// Multiples of 1/8 that halves hold exactly; sums of products of some thousands are exact in float.
std::vector<float> Eighths(std::int64_t count, int seed = 1) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((i * 31 + seed * 7) % 23 - 11) / 8);
  }
  return values;
}

std::size_t At(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Rows {
  std::int64_t outer, length, inner;
};

void ExpectSoftmax(Element element, const Rows& shape) {
  const std::vector<float> x = Eighths(shape.outer * shape.length * shape.inner);
  CardTensor y(element, x);
  RowsCall call;
  call.element = element;
  call.x = call.y = y.data();
  call.outer = shape.outer;
  call.length = shape.length;
  call.inner = call.step = shape.inner;
  call.outer_stride = shape.length * shape.inner;
  ASSERT_EQ(HostKernels().rows(call, nullptr), 0);
  for (std::int64_t row = 0; row < shape.outer * shape.inner; ++row) {
    const std::int64_t first = row / shape.inner * call.outer_stride + row % shape.inner;
    double sum = 0;
    for (std::int64_t i = 0; i < shape.length; ++i)
      sum += std::exp(static_cast<double>(x[At(first + i * shape.inner)]));
    for (std::int64_t i = 0; i < shape.length; ++i) {
      const std::size_t at = At(first + i * shape.inner);
      const double expected = std::exp(static_cast<double>(x[at])) / sum;
      ASSERT_NEAR(static_cast<double>(y[at]), expected,
                  expected * (element == Element::kHalf ? 1e-3 : 1e-5) + 1e-7)
          << shape.outer << "x" << shape.length << "x" << shape.inner;
    }
  }
}

TEST(CudaRows, SumToOneWhateverTheirLength) {
  for (const Element element : {Element::kFloat, Element::kHalf}) {
    for (const std::int64_t length : {1, 2, 31, 32, 33, 100}) ExpectSoftmax(element, {9, length, 1});
    ExpectSoftmax(element, {1, 2047, 1});
    ExpectSoftmax(element, {2, 2048, 1});
    ExpectSoftmax(element, {1, 5000, 1});
    for (const std::int64_t inner : {2, 31, 32, 33}) ExpectSoftmax(element, {2, 9, inner});
    ExpectSoftmax(element, {1, 7, 300});
  }
}

TEST(CudaRows, AreNoNumbersWhereOneIsNone) {
  CardTensor y(Element::kFloat, {1, std::numeric_limits<float>::quiet_NaN(), 2});
  RowsCall call;
  call.x = call.y = y.data();
  call.length = call.outer_stride = 3;
  ASSERT_EQ(HostKernels().rows(call, nullptr), 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i]));
}

// (outer, numbers, inner) over the middle.
void ExpectMeans(Element element, std::int64_t outer, std::int64_t numbers, std::int64_t inner) {
  const std::vector<float> x = Eighths(outer * numbers * inner);
  const CardTensor from(element, x);
  CardTensor y(element, At(outer * inner));
  MeanCall call;
  call.element = element;
  call.x = from.data();
  call.y = y.data();
  call.kept = 2;
  call.kept_counts[0] = outer;
  call.kept_stride[0] = numbers * inner;
  call.kept_counts[1] = inner;
  call.kept_stride[1] = 1;
  call.reduced = 1;
  call.reduced_counts[0] = numbers;
  call.reduced_stride[0] = inner;
  ASSERT_EQ(HostKernels().mean(call, nullptr), 0);
  for (std::int64_t i = 0; i < outer * inner; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < numbers; ++k)
      sum += static_cast<double>(x[At(i / inner * numbers * inner + k * inner + i % inner)]);
    const double expected = sum / static_cast<double>(numbers);
    ASSERT_NEAR(static_cast<double>(y[At(i)]), expected, (element == Element::kHalf ? 1e-3 : 1e-6))
        << i << " of " << outer << "x" << numbers << "x" << inner;
  }
}

TEST(CudaMeans, AreTakenAlongAndAcross) {
  for (const Element element : {Element::kFloat, Element::kHalf}) {
    for (const std::int64_t inner : {1, 3, 8, 31, 33, 70}) {
      for (const std::int64_t numbers : {1, 7, 49, 65}) ExpectMeans(element, 3, numbers, inner);
    }
    for (const std::int64_t inner : {1, 7, 9}) ExpectMeans(element, 2, 1023, inner);
    for (const std::int64_t inner : {1, 7, 9}) ExpectMeans(element, 2, 1025, inner);
  }
}

void ExpectProducts(Element element, std::int64_t rows, std::int64_t features, std::int64_t outputs,
                    std::size_t shift = 0) {
  const std::vector<float> x = Eighths(rows * features), weight = Eighths(outputs * features, 2),
                           bias = Eighths(outputs, 3);
  const CardTensor from(element, x, shift), weights(element, weight, shift);
  CardTensor y(element, At(rows * outputs), shift);
  MatvecCall call;
  call.element = element;
  call.x = from.data();
  call.weight = weights.data();
  call.bias = bias.data();
  call.y = y.data();
  call.rows = rows;
  call.features = features;
  call.outputs = outputs;
  call.function.kind = Function::kRelu;
  ASSERT_EQ(HostKernels().matvec(call, nullptr), 0);
  for (std::int64_t i = 0; i < rows * outputs; ++i) {
    double sum = static_cast<double>(bias[At(i % outputs)]);
    for (std::int64_t f = 0; f < features; ++f) {
      sum += static_cast<double>(x[At(i / outputs * features + f)]) *
             static_cast<double>(weight[At(i % outputs * features + f)]);
    }
    const double expected = std::max(sum, 0.0);
    ASSERT_NEAR(static_cast<double>(y[At(i)]), expected, element == Element::kHalf ? expected * 1e-3 : 1e-3)
        << i << " of " << rows << "x" << features << " to " << outputs;
  }
}

TEST(CudaProducts, TakeAnyFewRows) {
  for (const Element element : {Element::kFloat, Element::kHalf}) {
    for (const std::int64_t rows : {1, 4, 5, 9}) {
      for (const std::int64_t features : {1, 8, 33, 136}) ExpectProducts(element, rows, features, 9);
    }
    for (const std::int64_t rows : {1, 6}) {
      ExpectProducts(element, rows, 2048, 3);  // a block for each output
      ExpectProducts(element, rows, 2056, 15);
      ExpectProducts(element, rows, 1024, 40);  // a warp
      ExpectProducts(element, rows, 64, 40, 1);
    }
  }
}

// Of one card: y = relu6(relu(conv + bias) + added).
struct Depthwise {
  std::int64_t channels, height, width, kernel, stride;
};

Image ImageOf(std::int64_t channels, std::int64_t height, std::int64_t width, bool last) {
  if (last) return {1, channels, height, width, channels * height * width, 1, width * channels, channels};
  return {1, channels, height, width, channels * height * width, height * width, width, 1};
}

std::size_t Offset(const Image& image, std::int64_t c, std::int64_t h, std::int64_t w) {
  return At(c * image.c_stride + h * image.h_stride + w * image.w_stride);
}

double WindowSum(const Depthwise& of, const Image& in, const std::vector<float>& x,
                 const std::vector<float>& weight, bool last, std::int64_t c, std::int64_t h,
                 std::int64_t w) {
  double sum = 0;
  for (std::int64_t i = 0; i < of.kernel * of.kernel; ++i) {
    const std::int64_t row = h * of.stride - 1 + i / of.kernel, column = w * of.stride - 1 + i % of.kernel;
    if (row < 0 || column < 0 || row >= of.height || column >= of.width) continue;
    const std::int64_t place = last ? i * of.channels + c : c * of.kernel * of.kernel + i;
    sum += static_cast<double>(x[Offset(in, c, row, column)]) * static_cast<double>(weight[At(place)]);
  }
  return sum;
}

void ExpectDepthwise(Element element, bool last, const Depthwise& of) {
  const std::int64_t out_h = (of.height + 2 - of.kernel) / of.stride + 1;
  const std::int64_t out_w = (of.width + 2 - of.kernel) / of.stride + 1;
  const std::vector<float> x = Eighths(of.channels * of.height * of.width),
                           added = Eighths(of.channels * out_h * out_w, 4),
                           weight = Eighths(of.channels * of.kernel * of.kernel, 2),
                           bias = Eighths(of.channels, 3);
  const CardTensor from(element, x), weights(element, weight);
  CardTensor y(element, added);  // in place
  DepthwiseCall call;
  call.element = element;
  call.channels_last = last;
  call.x = from.data();
  call.weight = weights.data();
  call.bias = bias.data();
  call.added = y.data();
  call.y = y.data();
  call.in = ImageOf(of.channels, of.height, of.width, last);
  call.out = ImageOf(of.channels, out_h, out_w, last);
  call.kernel_h = call.kernel_w = of.kernel;
  call.stride_h = call.stride_w = of.stride;
  call.pad_top = call.pad_left = 1;
  call.before.kind = Function::kRelu;
  call.after.kind = Function::kRelu6;
  ASSERT_EQ(HostKernels().depthwise(call, nullptr), 0);
  for (std::int64_t i = 0; i < of.channels * out_h * out_w; ++i) {
    const std::int64_t c = i / (out_h * out_w), h = i / out_w % out_h, w = i % out_w;
    const std::size_t at = Offset(call.out, c, h, w);
    const double sum = WindowSum(of, call.in, x, weight, last, c, h, w) + static_cast<double>(bias[At(c)]);
    const double expected = std::clamp(std::max(sum, 0.0) + static_cast<double>(added[at]), 0.0, 6.0);
    ASSERT_NEAR(static_cast<double>(y[at]), expected, element == Element::kHalf ? 4e-3 : 1e-5)
        << of.channels << "x" << of.height << "x" << of.width << " at " << c << "," << h << "," << w;
  }
}

TEST(CudaDepthwise, RunsWhereThereAreManyOutputs) {
  for (const Element element : {Element::kFloat, Element::kHalf}) {
    for (const bool last : {false, true}) {
      for (const std::int64_t kernel : {3, 5}) {
        for (const std::int64_t stride : {1, 2}) {
          ExpectDepthwise(element, last, {16, 34, 37, kernel, stride});  // many
          ExpectDepthwise(element, last, {6, 7, 9, kernel, stride});     // few
        }
      }
    }
  }
}

TEST(CudaPools, PassOverWhatIsNoNumber) {
  const CardTensor x(Element::kFloat, {1, std::numeric_limits<float>::quiet_NaN(), 3, -2});
  CardTensor y(Element::kFloat, 1);
  PoolCall call;
  call.x = x.data();
  call.y = y.data();
  call.in = ImageOf(1, 2, 2, false);
  call.out = ImageOf(1, 1, 1, false);
  call.kernel_h = call.kernel_w = 2;
  ASSERT_EQ(HostKernels().pool(call, nullptr), 0);
  EXPECT_EQ(y[0], 3);  // as the reference
}

TEST(CudaBurn, AddsAsOftenAsItIsTold) {
  std::vector<float> values(2 * 256, 1);
  ASSERT_EQ(HostKernels().burn({values.data(), 2, 100}, nullptr), 0);
  EXPECT_EQ(values, std::vector<float>(2 * 256, 101));
}

}  // namespace
}  // namespace tandem::gpu
