#include "device/backends/reference/kernels.h"

namespace tandem::reference {
namespace {

void Fc(const Call& call) {
  const auto& a = call.As<FcAttributes>();
  const Shape& in = call.in_shape();
  const auto split = in.begin() + static_cast<std::ptrdiff_t>(AxisOf(a.axis, in));
  const std::int64_t rows = Elements(Shape(in.begin(), split)), features = Elements(Shape(split, in.end()));
  const float* bias = call.Weight("bias");
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = call.in() + row * features;
    const float* weight = call.Weight("weight");
    for (std::int64_t o = 0; o < a.out_features; ++o, weight += features) {
      double sum = bias == nullptr ? 0.0 : bias[o];
      for (std::int64_t i = 0; i < features; ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(weight[i]);
      call.out()[row * a.out_features + o] = static_cast<float>(sum);
    }
  }
}

// Where the matrix that broadcasts to the position `at` of the leading axes starts in an operand of `shape`.
std::int64_t MatrixOffset(const Shape& shape, const std::vector<std::int64_t>& at) {
  const std::vector<std::int64_t> strides = Strides(shape);
  const std::size_t leading = shape.size() - 2;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < leading; ++i) {
    if (shape[leading - 1 - i] != 1) offset += strides[leading - 1 - i] * at[at.size() - 1 - i];
  }
  return offset;
}

void Matmul(const Call& call) {
  const Shape &a = call.in_shape(0), &b = call.in_shape(1), &out = call.layer.output;
  const std::int64_t rows = a[a.size() - 2], inner = a.back(), columns = b.back();
  const Shape leading(out.begin(), out.end() - 2);
  std::vector<std::int64_t> at(leading.size());
  float* result = call.out();
  for (std::int64_t matrix = 0; matrix < Elements(leading); ++matrix, Advance(at, leading)) {
    const float* x = call.in(0) + MatrixOffset(a, at);
    const float* y = call.in(1) + MatrixOffset(b, at);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < inner; ++k) {
        sum += static_cast<double>(x[i / columns * inner + k]) *
               static_cast<double>(y[k * columns + i % columns]);
      }
      *result++ = static_cast<float>(sum);
    }
  }
}

const Kernels kProducts{{Op::kFc, Fc}, {Op::kMatmul, Matmul}};

}  // namespace
}  // namespace tandem::reference
