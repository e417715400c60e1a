// The parts of kernel_layer.cc: how tensors lie, and each operation as calls of kernels.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "device/backends/reference/kernels.h"
#include "profiles/base/check.h"
#include "tests/support/device/cuda_on_host/card_tensor.h"
#include "tests/support/device/cuda_on_host/host_kernels.h"
#include "tests/support/device/kernel_layer.h"

namespace tandem {

// A shape, and how its elements lie: (batch, height, width, channels) where channels come last.
struct Laid {
  Shape shape;
  bool last = false;

  Laid(const Shape& of, bool channels_last) : shape(of), last(channels_last && of.size() == 4) {}

  std::vector<std::int64_t> Strides() const {
    if (!last) return reference::Strides(shape);
    return {shape[1] * shape[2] * shape[3], 1, shape[1] * shape[3], shape[1]};
  }
  std::vector<std::int64_t> Order() const {
    if (last) return {0, 2, 3, 1};
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < shape.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
    return order;
  }
  gpu::Image Image() const {
    const std::vector<std::int64_t> strides = Strides();
    return {shape[0], shape[1], shape[2], shape[3], strides[0], strides[1], strides[2], strides[3]};
  }
  // From plain order, and back.
  std::vector<float> Lay(const std::vector<float>& values, bool back = false) const {
    std::vector<float> result(values.size());
    const std::vector<std::int64_t> strides = Strides();
    std::vector<std::int64_t> at(shape.size());
    for (std::size_t i = 0; i < values.size(); ++i, reference::Advance(at, shape)) {
      std::size_t place = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        place += static_cast<std::size_t>(at[axis] * strides[axis]);
      result[back ? i : place] = values[back ? place : i];
    }
    return result;
  }
};

class KernelLayer {
 public:
  KernelLayer(const Layer& layer, const Weights& weights, const std::vector<const Tensor*>& inputs,
              KernelSetting setting)
      : layer_(layer),
        weights_(weights),
        setting_(setting),
        out_(layer.output, setting.channels_last),
        y_(setting.element, static_cast<std::size_t>(Elements(layer.output))) {
    for (const Tensor* const input : inputs) {
      in_.emplace_back(input->shape, setting.channels_last);
      x_.emplace_back(setting.element, in_.back().Lay(input->values));
    }
  }

  std::optional<Tensor> Run() {
    if (!Compute()) return std::nullopt;
    return Tensor{layer_.output, out_.Lay(y_.values(), true)};
  }

 private:
  bool Compute();
  bool Channel();
  bool Pairs();
  bool Pool();
  bool Lrn();
  bool Softmax();
  bool LayerNorm();
  bool Mean();
  bool Depthwise();
  bool Fc();
  bool Moves();
  bool Upsample();
  bool Concat();
  bool Slice();
  bool Pad();
  bool Transpose();

  bool Done(int error) {
    TANDEM_CHECK(error == 0, "a kernel is started with what every card takes");
    return true;
  }
  const float* Weight(const char* role) const {
    const auto found = weights_.find({layer_.name, role});
    return found == weights_.end() ? nullptr : found->second.values.data();
  }
  // Reads x at strides of its own for each axis of the output.
  gpu::GatherCall Gather(const gpu::CardTensor& x, const std::vector<std::int64_t>& x_strides) {
    gpu::GatherCall call;
    call.from = call.to = setting_.element;
    call.x = x.data();
    call.y = y_.data();
    call.axes = static_cast<int>(layer_.output.size());
    std::copy(layer_.output.begin(), layer_.output.end(), call.counts);
    std::copy(x_strides.begin(), x_strides.end(), call.x_stride);
    const std::vector<std::int64_t> strides = out_.Strides();
    std::copy(strides.begin(), strides.end(), call.y_stride);
    return call;
  }
  bool Run(const gpu::GatherCall& call) { return Done(gpu::HostKernels().gather(call, nullptr)); }

  const Layer& layer_;
  const Weights& weights_;
  const KernelSetting setting_;
  Laid out_;
  gpu::CardTensor y_;
  std::vector<Laid> in_;
  std::vector<gpu::CardTensor> x_;
};

}  // namespace tandem
