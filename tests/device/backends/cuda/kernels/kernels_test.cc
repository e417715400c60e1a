// What no layer of a model says about the kernels of the cuda backend: borders of packs, warps and blocks,
// addresses that no pack can be read at, numbers that are none, and what calls can put together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/cuda_on_host/card_tensor.h"
#include "tests/support/device/cuda_on_host/host_kernels.h"

namespace tandem::gpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Small numbers of both signs that halves hold exactly.
std::vector<float> Numbers(std::int64_t count, int seed = 1) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>((i * 37 + seed * 11) % 29 - 14));
  return values;
}

std::vector<float> OneFunction(Function function, const std::vector<float>& x) {
  const CardTensor from(Element::kFloat, x);
  CardTensor y(Element::kFloat, x.size());
  ChannelCall call;
  call.x = from.data();
  call.y = y.data();
  call.count = static_cast<std::int64_t>(x.size());
  call.after = function;
  EXPECT_EQ(HostKernels().channel(call, nullptr), 0);
  return y.values();
}

TEST(CudaFunctions, KnowInfinityAndNoNumber) {
  const auto at = [](Function::Kind kind, float x) { return OneFunction({kind, 0.5F, 1}, {x})[0]; };
  for (int kind = Function::kNone; kind <= Function::kClip; ++kind) {
    EXPECT_TRUE(std::isnan(at(static_cast<Function::Kind>(kind), kNan))) << kind;
  }
  EXPECT_EQ(at(Function::kRelu, -kInfinity), 0);
  EXPECT_EQ(at(Function::kSigmoid, -kInfinity), 0);
  EXPECT_EQ(at(Function::kSigmoid, kInfinity), 1);
  EXPECT_EQ(at(Function::kTanh, -kInfinity), -1);
  EXPECT_EQ(at(Function::kSoftplus, -kInfinity), 0);
  EXPECT_EQ(at(Function::kSoftplus, kInfinity), kInfinity);
  EXPECT_EQ(at(Function::kExp, -kInfinity), 0);
  EXPECT_EQ(at(Function::kLog, 0), -kInfinity);
  EXPECT_TRUE(std::isnan(at(Function::kLog, -1)));
  EXPECT_TRUE(std::isnan(at(Function::kSqrt, -1)));
  EXPECT_EQ(at(Function::kElu, -kInfinity), -0.5F);
  EXPECT_EQ(at(Function::kClip, kInfinity), 1);
  EXPECT_EQ(at(Function::kNone, -kInfinity), -kInfinity);
}

// y = relu(before(x * factor + offset) + added), whatever the count, the channels and the addresses.
void ExpectChannels(Element element, std::int64_t inner, std::int64_t channels, std::int64_t images,
                    std::size_t shift, bool in_place) {
  const std::int64_t count = inner * channels * images;
  const std::vector<float> x = Numbers(count), added = Numbers(count, 2), factor = Numbers(channels, 3),
                           offset = Numbers(channels, 4);
  const CardTensor from(element, x, shift), factors(Element::kFloat, factor, shift);
  CardTensor more(element, added, shift), y(element, in_place ? 0 : x.size(), shift);
  ChannelCall call;
  call.element = element;
  call.x = from.data();
  call.added = more.data();
  call.y = in_place ? more.data() : y.data();
  call.count = count;
  call.inner = inner;
  call.channels = channels;
  call.factor = static_cast<const float*>(factors.data());
  call.offset = offset.data();
  call.before = {Function::kClip, -100, 90};
  call.after.kind = Function::kRelu;
  ASSERT_EQ(HostKernels().channel(call, nullptr), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i), c = static_cast<std::size_t>(i / inner % channels);
    const float clipped = std::clamp(x[at] * factor[c] + offset[c], -100.0F, 90.0F);
    ASSERT_EQ((in_place ? more : y)[at], std::max(clipped + added[at], 0.0F))
        << i << " of " << images << "x" << channels << "x" << inner << " shifted " << shift;
  }
}

TEST(CudaChannels, AreTakenFromAnyPlaceInAnyNumber) {
  for (const Element element : {Element::kFloat, Element::kHalf}) {
    for (const std::size_t shift : {0, 1, 4}) {
      for (const std::int64_t inner : {1, 3, 4, 8, 49}) {
        for (const std::int64_t channels : {1, 5, 8, 32})
          ExpectChannels(element, inner, channels, 2, shift, false);
      }
      ExpectChannels(element, 16, 300, 3, shift, true);  // beyond what one round of the blocks does
      ExpectChannels(element, 1, 2048, 5, shift, true);
    }
  }
}

// Without numbers for each channel the whole tensor is a row of packs and a rest.
TEST(CudaChannels, AreLeftOutOfActivations) {
  for (const Element element : {Element::kFloat, Element::kHalf}) {
    for (const std::int64_t count : {1, 2, 3, 4, 7, 8, 9, 255, 256, 257, 1023, 1025, 8191, 8193, 70001}) {
      const std::vector<float> x = Numbers(count);
      CardTensor y(element, x);
      ChannelCall call;
      call.element = element;
      call.x = call.y = y.data();
      call.count = count;
      call.channels = 3;
      call.after.kind = Function::kAbs;
      ASSERT_EQ(HostKernels().channel(call, nullptr), 0);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], std::abs(x[i])) << i << " of " << count;
    }
  }
}

float Pair(Binary op, float a, float b) {
  const CardTensor x(Element::kFloat, std::vector<float>{a}), z(Element::kFloat, std::vector<float>{b});
  CardTensor y(Element::kFloat, 1);
  BinaryCall call;
  call.op = op;
  call.a = x.data();
  call.b = z.data();
  call.y = y.data();
  EXPECT_EQ(HostKernels().binary(call, nullptr), 0);  // no axes: one number
  return y[0];
}

TEST(CudaPairs, TakeTheFirstWhereOneIsNoNumber) {
  EXPECT_TRUE(std::isnan(Pair(Binary::kMax, kNan, 1)));
  EXPECT_EQ(Pair(Binary::kMax, 1, kNan), 1);
  EXPECT_TRUE(std::isnan(Pair(Binary::kMin, kNan, 1)));
  EXPECT_EQ(Pair(Binary::kMin, 1, kNan), 1);
  EXPECT_EQ(Pair(Binary::kDiv, 1, 0), kInfinity);
  EXPECT_EQ(Pair(Binary::kPow, -2, 3), -8);
}

// A half tensor plus a row of floats, and a function of the sum.
TEST(CudaPairs, MixElements) {
  for (const std::int64_t width : {4, 7, 12}) {
    for (const std::size_t shift : {0, 1}) {
      const std::vector<float> a = Numbers(width * 9), b = Numbers(width, 2);
      const CardTensor x(Element::kHalf, a, shift), row(Element::kFloat, b, shift);
      CardTensor y(Element::kHalf, a.size(), shift);
      BinaryCall call;
      call.element = call.a_element = Element::kHalf;
      call.a = x.data();
      call.b = row.data();
      call.y = y.data();
      call.axes = 2;
      call.counts[0] = 9;
      call.counts[1] = call.a_stride[0] = width;
      call.a_stride[1] = call.b_stride[1] = 1;
      call.b_factor = 2;
      call.function.kind = Function::kNeg;
      ASSERT_EQ(HostKernels().binary(call, nullptr), 0);
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(y[i], -(a[i] + 2 * b[i % static_cast<std::size_t>(width)])) << i << " of rows of " << width;
      }
    }
  }
}

// (batch, rows, columns) to (batch, columns, rows), from one element to another.
void ExpectTransposed(Element from, Element to, std::int64_t rows, std::int64_t columns, std::size_t shift) {
  constexpr std::int64_t batch = 2;
  const std::vector<float> x = Numbers(batch * rows * columns);
  const CardTensor in(from, x, shift);
  CardTensor y(to, x.size(), shift);
  GatherCall call;
  call.from = from;
  call.to = to;
  call.x = in.data();
  call.y = y.data();
  call.axes = 3;
  const std::int64_t counts[] = {rows, batch, columns}, x_stride[] = {columns, rows * columns, 1},
                     y_stride[] = {1, rows * columns, rows};
  std::copy_n(counts, 3, call.counts);
  std::copy_n(x_stride, 3, call.x_stride);
  std::copy_n(y_stride, 3, call.y_stride);
  ASSERT_EQ(HostKernels().gather(call, nullptr), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
    const std::size_t plane = i / (height * width), row = i / width % height, column = i % width;
    ASSERT_EQ(y[(plane * width + column) * height + row], x[i]) << i << " of " << rows << "x" << columns;
  }
}

TEST(CudaGather, TransposesAroundTheBordersOfItsSquares) {
  for (const Element from : {Element::kFloat, Element::kHalf}) {
    for (const Element to : {Element::kFloat, Element::kHalf}) {
      for (const std::int64_t rows : {1, 3, 8, 31, 32, 33}) {
        for (const std::int64_t columns : {1, 7, 32, 65}) ExpectTransposed(from, to, rows, columns, rows % 2);
      }
    }
  }
}

// Every third column of wider rows, the rows as a table says, in elements of either kind.
TEST(CudaGather, FollowsTablesAndFills) {
  for (const Element from : {Element::kFloat, Element::kHalf}) {
    for (const std::int64_t width : {1, 5, 8, 16, 40}) {
      for (const std::int64_t step : {1, 3}) {
        const std::int64_t wide = width * step + 8;
        const std::vector<std::int32_t> table = {2, -1, 0, 0, 5, -1};
        const std::vector<float> x = Numbers(wide * 6);
        const CardTensor in(from, x);
        CardTensor y(Element::kHalf, static_cast<std::size_t>(6 * width));
        GatherCall call;
        call.from = from;
        call.to = Element::kHalf;
        call.x = in.data();
        call.y = y.data();
        call.axes = 2;
        call.counts[0] = 6;
        call.counts[1] = call.y_stride[0] = width;
        call.y_stride[1] = 1;
        call.x_stride[0] = wide;
        call.x_stride[1] = step;
        call.table[0] = table.data();
        call.fill = 0.25F;
        ASSERT_EQ(HostKernels().gather(call, nullptr), 0);
        for (std::int64_t i = 0; i < 6 * width; ++i) {
          const std::int64_t row = table[static_cast<std::size_t>(i / width)];
          const auto at = static_cast<std::size_t>(row * wide + i % width * step);
          ASSERT_EQ(y[static_cast<std::size_t>(i)], row < 0 ? 0.25F : x[at]) << i << " of rows of " << width;
        }
      }
    }
  }
}

// A table along one of the axes around a transposition: what is filled is filled in squares too.
TEST(CudaGather, FillsWhatItTransposes) {
  const std::vector<std::int32_t> table = {-1, 1, 0};
  const std::vector<float> x = Numbers(2 * 20 * 33);
  const CardTensor in(Element::kFloat, x);
  CardTensor y(Element::kFloat, 3 * 20 * 33);
  GatherCall call;
  call.x = in.data();
  call.y = y.data();
  call.axes = 3;
  const std::int64_t counts[] = {3, 20, 33}, x_stride[] = {660, 33, 1}, y_stride[] = {660, 1, 20};
  std::copy_n(counts, 3, call.counts);
  std::copy_n(x_stride, 3, call.x_stride);
  std::copy_n(y_stride, 3, call.y_stride);
  call.table[0] = table.data();
  call.fill = 7;
  ASSERT_EQ(HostKernels().gather(call, nullptr), 0);
  for (std::size_t i = 0; i < 1980; ++i) {
    const std::size_t plane = i / 660, row = i / 33 % 20, column = i % 33;
    const float expected = plane == 0 ? 7 : x[i % 660 + (plane == 1 ? 660 : 0)];
    ASSERT_EQ(y[plane * 660 + column * 20 + row], expected) << i;
  }
}

TEST(CudaIndex, DividesAsTheLanguageDoes) {
  for (const std::uint32_t by :
       {1U, 2U, 3U, 5U, 7U, 9U, 49U, 64U, 641U, 50176U, 65535U, 65537U, 0x7ffffffeU, 0x7fffffffU}) {
    for (std::uint64_t a = 0; a <= 0x7fffffff; a = a * 3 / 2 + 1) {
      for (const std::uint64_t near : {a, a / by * by, a / by * by + by - 1}) {
        const auto number = static_cast<std::uint32_t>(near & 0x7fffffff);
        ASSERT_EQ(DivideAsKernels(number, by), number / by) << number << " by " << by;
      }
    }
  }
}

// There and back, and what lies halfway to the even one.
TEST(HalfOnHost, RoundsAsTheCard) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const __half half = {static_cast<std::uint16_t>(bits)};
    const float value = __half2float(half);
    if (std::isnan(value)) continue;
    ASSERT_EQ(__float2half(value).bits, bits);
    if ((bits & 0x7fff) >= 0x7bff) continue;
    const float next = __half2float({static_cast<std::uint16_t>(bits + 1)}), middle = (value + next) / 2;
    ASSERT_EQ(__float2half(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(__float2half(std::nextafter(middle, value)).bits, bits);
  }
  EXPECT_EQ(__float2half(65519.9F).bits, 0x7bff);
  EXPECT_EQ(__float2half(65520).bits, 0x7c00);
  EXPECT_EQ(__float2half(-1e30F).bits, 0xfc00);
  EXPECT_TRUE(std::isnan(__half2float(__float2half(kNan))));
}

TEST(CudaKernels, TakeNothingForAnAnswer) {
  const KernelTable& kernels = HostKernels();
  const std::int64_t none = 0;
  ChannelCall channel;
  EXPECT_EQ(kernels.channel(channel, nullptr), 0);
  BinaryCall binary;
  binary.axes = 1;
  EXPECT_EQ(kernels.binary(binary, nullptr), 0);
  GatherCall gather;
  gather.axes = 2;
  gather.counts[0] = 3;
  EXPECT_EQ(kernels.gather(gather, nullptr), 0);
  ResizeCall resize;
  resize.out.n = none;
  EXPECT_EQ(kernels.resize(resize, nullptr), 0);
  PoolCall pool;
  pool.in.n = pool.out.n = none;
  EXPECT_EQ(kernels.pool(pool, nullptr), 0);
  LrnCall lrn;
  lrn.in.n = none;
  EXPECT_EQ(kernels.lrn(lrn, nullptr), 0);
  RowsCall rows;
  rows.outer = none;
  EXPECT_EQ(kernels.rows(rows, nullptr), 0);
  MeanCall mean;
  mean.kept = 1;
  EXPECT_EQ(kernels.mean(mean, nullptr), 0);
  DepthwiseCall depthwise;
  depthwise.in.n = depthwise.out.n = none;
  EXPECT_EQ(kernels.depthwise(depthwise, nullptr), 0);
  MatvecCall matvec;
  matvec.rows = none;
  EXPECT_EQ(kernels.matvec(matvec, nullptr), 0);
  BurnCall burn;
  burn.blocks = 0;
  EXPECT_EQ(kernels.burn(burn, nullptr), 0);
}

}  // namespace
}  // namespace tandem::gpu
