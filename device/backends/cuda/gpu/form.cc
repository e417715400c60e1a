#include "device/backends/cuda/gpu/form.h"

#include <numeric>

#include "profiles/base/input_error.h"
#include "profiles/model/layer.h"

namespace tandem::gpu {

std::vector<std::size_t> MemoryOrder(std::size_t axes, Format format) {
  if (format == Format::kNhwc && axes == 4) return {0, 2, 3, 1};
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<std::int64_t> StridesOf(const Shape& shape, Format format) {
  const std::vector<std::size_t> order = MemoryOrder(shape.size(), format);
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0; step *= shape[order[i]]) strides[order[i]] = step;
  return strides;
}

std::vector<std::int64_t> BroadcastStrides(const Shape& shape, Format format, std::size_t axes) {
  const std::vector<std::int64_t> own = StridesOf(shape, format);
  std::vector<std::int64_t> strides(axes, 0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) strides[axes - shape.size() + i] = own[i];
  }
  return strides;
}

Image ImageOf(const Shape& shape, Format format) {
  const std::vector<std::int64_t> strides = StridesOf(shape, format);
  return {shape[0], shape[1], shape[2], shape[3], strides[0], strides[1], strides[2], strides[3]};
}

std::vector<GpuAxis> Merged(const std::vector<GpuAxis>& axes) {
  std::vector<GpuAxis> merged;
  for (const GpuAxis& axis : axes) {
    if (axis.count == 1 && axis.table == nullptr) continue;
    const bool alone = merged.empty() || merged.back().table != nullptr || axis.table != nullptr;
    if (!alone && merged.back().x == axis.x * axis.count && merged.back().y == axis.y * axis.count) {
      merged.back().count *= axis.count;
      merged.back().x = axis.x;
      merged.back().y = axis.y;
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back({});
  if (merged.size() > kMostAxes) {
    throw EnvironmentError("a tensor whose " + std::to_string(merged.size()) +
                           " axes lie apart: kernels count " + std::to_string(kMostAxes));
  }
  return merged;
}

GatherCall GatherOf(const std::vector<GpuAxis>& axes, Element from, Element to) {
  GatherCall call;
  call.from = from;
  call.to = to;
  for (const GpuAxis& axis : Merged(axes)) {
    call.counts[call.axes] = axis.count;
    call.x_stride[call.axes] = axis.x;
    call.y_stride[call.axes] = axis.y;
    call.table[call.axes++] = axis.table;
  }
  return call;
}

}  // namespace tandem::gpu
