#include <cstring>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/walk.h"

namespace tandem {
namespace {

constexpr std::int64_t kTile = 16;  // rows and columns that stay in the cache

void CopyRow(const float* from, float* to, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}

// Exchanges two axes: `columns` lie side by side in the output, `rows` in the input.
void CopyTransposed(const LoopAxis& rows, const LoopAxis& columns, const float* from, float* to) {
  for (std::int64_t top = 0; top < rows.count; top += kTile) {
    const std::int64_t bottom = std::min(top + kTile, rows.count);
    for (std::int64_t left = 0; left < columns.count; left += kTile) {
      const std::int64_t right = std::min(left + kTile, columns.count);
      for (std::int64_t row = top; row < bottom; ++row) {
        const float* const source = from + row * rows.a;
        float* const target = to + row * rows.out;
        for (std::int64_t column = left; column < right; ++column)
          target[column] = source[column * columns.a];
      }
    }
  }
}

// Copies by loops whose innermost is dense in the output.
PlainKernel Copy(const std::vector<LoopAxis>& axes, std::int64_t offset) {
  std::vector<LoopAxis> around = MergeLoops(axes);
  const LoopAxis inner = around.back();
  around.pop_back();
  LoopAxis rows{1, 0, 0, 0};  // along which the input is dense, where that is another axis
  if (inner.a != 1) {
    const auto dense =
        std::find_if(around.begin(), around.end(), [](const LoopAxis& axis) { return axis.a == 1; });
    if (dense != around.end()) {
      rows = *dense;
      around.erase(dense);
    }
  }
  const std::int64_t iterations = Iterations(around), each = inner.count * rows.count;
  return [=, around = std::move(around)](std::span<const float* const> inputs, float* output) {
    const float* const from = inputs[0] + offset;
    const std::vector<LoopAxis>& loops = around;
    InParts(iterations, each, [&, from, output](std::int64_t first, std::int64_t last) {
      LoopWalk walk(loops, first);
      for (std::int64_t i = first; i < last; ++i, walk.Next()) {
        if (inner.a == 1) {
          CopyRow(from + walk.a, output + walk.out, inner.count);
        } else {
          CopyTransposed(rows, inner, from + walk.a, output + walk.out);
        }
      }
    });
  };
}

std::vector<std::int64_t> Steps(const Shape& shape) {
  std::vector<std::int64_t> steps(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) steps[i] = Extents(shape, i + 1);
  return steps;
}

PlainKernel PlainCopy(const PlainLayer& of) {
  return [count = Elements(of.out())](std::span<const float* const> inputs, float* output) {
    CopyRow(inputs[0], output, count);
  };
}

PlainKernel PlainConcat(const PlainLayer& of) {
  const std::size_t axis = AxisFromFront(of.As<AxisAttributes>().axis, of.out());
  const std::int64_t rows = Extents(of.out(), 0, axis), row = Extents(of.out(), axis);
  std::vector<std::int64_t> parts;
  for (const Shape& input : of.inputs) parts.push_back(Extents(input, axis));
  return [=](std::span<const float* const> inputs, float* output) {
    InParts(rows, row, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        float* to = output + i * row;
        for (std::size_t k = 0; k < parts.size(); to += parts[k++])
          CopyRow(inputs[k] + i * parts[k], to, parts[k]);
      }
    });
  };
}

PlainKernel PlainTranspose(const PlainLayer& of) {
  const auto& order = of.As<TransposeAttributes>().order;
  const std::vector<std::int64_t> from = Steps(of.in()), to = Steps(of.out());
  std::vector<LoopAxis> axes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    axes.push_back({of.out()[i], to[i], from[static_cast<std::size_t>(order[i])], 0});
  }
  return Copy(axes, 0);
}

PlainKernel PlainSlice(const PlainLayer& of) {
  const auto& a = of.As<SliceAttributes>();
  const Shape& in = of.in();
  const std::vector<std::int64_t> from = Steps(in), to = Steps(of.out());
  std::vector<LoopAxis> axes;
  for (std::size_t i = 0; i < in.size(); ++i) axes.push_back({of.out()[i], to[i], from[i], 0});
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = AxisFromFront(a.axes[i], in);
    const std::int64_t start = a.starts[i] < 0 ? a.starts[i] + in[axis] : a.starts[i];
    offset += std::clamp<std::int64_t>(start, 0, in[axis]) * from[axis];
    axes[axis].a *= a.steps[i];
  }
  return Copy(axes, offset);
}

const PlainKernels kMoves{{Op::kInput, PlainCopy},          {Op::kDropout, PlainCopy},
                          {Op::kIdentity, PlainCopy},       {Op::kFlatten, PlainCopy},
                          {Op::kReshape, PlainCopy},        {Op::kConcat, PlainConcat},
                          {Op::kTranspose, PlainTranspose}, {Op::kSlice, PlainSlice}};

}  // namespace
}  // namespace tandem
