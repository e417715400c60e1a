#include "tests/device/kernel_layer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "device/backends/reference/kernels.h"
#include "profiles/check.h"
#include "tests/device/cuda_on_host/card_tensor.h"
#include "tests/device/cuda_on_host/host_kernels.h"

namespace tandem {
namespace {

using gpu::CardTensor;
using gpu::Element;
using gpu::Function;
using gpu::HostKernels;
using Numbers = std::vector<std::int64_t>;

// A shape, and how its elements lie: (batch, height, width, channels) where channels come last.
struct Laid {
  Shape shape;
  bool last = false;

  Laid(const Shape& of, bool channels_last) : shape(of), last(channels_last && of.size() == 4) {}

  Numbers Strides() const {
    if (!last) return reference::Strides(shape);
    return {shape[1] * shape[2] * shape[3], 1, shape[1] * shape[3], shape[1]};
  }
  Numbers Order() const {
    if (last) return {0, 2, 3, 1};
    Numbers order;
    for (std::size_t i = 0; i < shape.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
    return order;
  }
  gpu::Image Image() const {
    const Numbers strides = Strides();
    return {shape[0], shape[1], shape[2], shape[3], strides[0], strides[1], strides[2], strides[3]};
  }
  // From plain order, and back.
  std::vector<float> Lay(const std::vector<float>& values, bool back = false) const {
    std::vector<float> result(values.size());
    const Numbers strides = Strides();
    Numbers at(shape.size());
    for (std::size_t i = 0; i < values.size(); ++i, reference::Advance(at, shape)) {
      std::size_t place = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        place += static_cast<std::size_t>(at[axis] * strides[axis]);
      result[back ? i : place] = values[back ? place : i];
    }
    return result;
  }
};

Function FunctionOf(const Layer& layer) {
  static const std::map<Op, Function::Kind> kinds = {
      {Op::kRelu, Function::kRelu},       {Op::kRelu6, Function::kRelu6},
      {Op::kSigmoid, Function::kSigmoid}, {Op::kHardSwish, Function::kHardSwish},
      {Op::kTanh, Function::kTanh},       {Op::kSoftplus, Function::kSoftplus},
      {Op::kGelu, Function::kGelu},       {Op::kErf, Function::kErf},
      {Op::kExp, Function::kExp},         {Op::kLog, Function::kLog},
      {Op::kSqrt, Function::kSqrt},       {Op::kAbs, Function::kAbs},
      {Op::kNeg, Function::kNeg}};
  const auto with = [](Function::Kind kind, double alpha, double beta) {
    return Function{kind, static_cast<float>(alpha), static_cast<float>(beta)};
  };
  if (layer.op == Op::kLeakyRelu) return with(Function::kLeakyRelu, layer.As<LeakyReluAttributes>().slope, 0);
  if (layer.op == Op::kElu) return with(Function::kElu, layer.As<EluAttributes>().alpha, 0);
  if (layer.op == Op::kHardSigmoid) {
    const auto& a = layer.As<HardSigmoidAttributes>();
    return with(Function::kHardSigmoid, a.alpha, a.beta);
  }
  if (layer.op == Op::kClip)
    return with(Function::kClip, layer.As<ClipAttributes>().min, layer.As<ClipAttributes>().max);
  return {kinds.at(layer.op), 0, 0};
}

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
  gpu::GatherCall Gather(const CardTensor& x, const Numbers& x_strides) {
    gpu::GatherCall call;
    call.from = call.to = setting_.element;
    call.x = x.data();
    call.y = y_.data();
    call.axes = static_cast<int>(layer_.output.size());
    std::copy(layer_.output.begin(), layer_.output.end(), call.counts);
    std::copy(x_strides.begin(), x_strides.end(), call.x_stride);
    const Numbers strides = out_.Strides();
    std::copy(strides.begin(), strides.end(), call.y_stride);
    return call;
  }
  bool Run(const gpu::GatherCall& call) { return Done(HostKernels().gather(call, nullptr)); }

  const Layer& layer_;
  const Weights& weights_;
  const KernelSetting setting_;
  Laid out_;
  CardTensor y_;
  std::vector<Laid> in_;
  std::vector<CardTensor> x_;
};

bool KernelLayer::Compute() {
  switch (layer_.op) {
    case Op::kConv:
      return Depthwise();
    case Op::kFc:
      return Fc();
    case Op::kDeconv:
    case Op::kMatmul:
      return false;
    case Op::kMaxPool:
    case Op::kAvgPool:
      return Pool();
    case Op::kLrn:
      return Lrn();
    case Op::kSoftmax:
      return Softmax();
    case Op::kLayerNorm:
      return LayerNorm();
    case Op::kReduceMean:
      return Mean();
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMax:
    case Op::kMin:
      return Pairs();
    case Op::kConcat:
    case Op::kDropout:
    case Op::kIdentity:
    case Op::kFlatten:
    case Op::kReshape:
    case Op::kTranspose:
    case Op::kPad:
    case Op::kSlice:
    case Op::kUpsample:
      return Moves();
    default:
      return Channel();
  }
}

// Activations, and what has numbers for each channel.
bool KernelLayer::Channel() {
  const Shape& shape = layer_.output;
  gpu::ChannelCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  call.count = Elements(shape);
  call.channels = shape.size() < 2 ? 1 : shape[1];
  call.inner = out_.last ? 1 : call.count / (shape[0] * call.channels);
  std::vector<float> factor, offset;
  if (layer_.op == Op::kBatchNorm) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(call.channels); ++c) {
      const float deviation =
          std::sqrt(Weight("variance")[c] + static_cast<float>(layer_.As<BatchNormAttributes>().epsilon));
      factor.push_back((Weight("gamma") == nullptr ? 1 : Weight("gamma")[c]) / deviation);
      offset.push_back((Weight("beta") == nullptr ? 0 : Weight("beta")[c]) - Weight("mean")[c] * factor[c]);
    }
    call.factor = factor.data();
    call.offset = offset.data();
  } else if (layer_.op == Op::kScale) {
    call.factor = Weight("gamma");
    call.offset = Weight("beta");
  } else if (layer_.op == Op::kPrelu) {
    call.slope = Weight("slope");
    call.slopes = layer_.As<PreluAttributes>().shared ? 1 : call.channels;
  } else {
    call.after = FunctionOf(layer_);
  }
  return Done(HostKernels().channel(call, nullptr));
}

// Strides over the output's axes, 0 where the operand is repeated.
Numbers Spread(const Laid& operand, const Shape& out) {
  Numbers strides(out.size(), 0);
  const Numbers own = operand.Strides();
  const std::size_t missing = out.size() - operand.shape.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (operand.shape[i] != 1) strides[missing + i] = own[i];
  }
  return strides;
}

bool KernelLayer::Pairs() {
  struct Operand {
    Element element;
    const void* values;
    Numbers strides;
    double factor;
  };
  const auto& a = layer_.As<ElementwiseAttributes>();
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    operands.push_back({setting_.element, x_[i].data(), Spread(in_[i], layer_.output),
                        a.coefficients.empty() ? 1 : a.coefficients[i]});
  }
  if (a.has_constant) {
    const Laid constant(a.constant_shape, false);
    operands.insert(a.constant_first ? operands.begin() : operands.end(),
                    {Element::kFloat, Weight("constant"), Spread(constant, layer_.output), 1});
  }
  static const std::map<Op, gpu::Binary> ops = {{Op::kAdd, gpu::Binary::kAdd}, {Op::kSub, gpu::Binary::kSub},
                                                {Op::kMul, gpu::Binary::kMul}, {Op::kDiv, gpu::Binary::kDiv},
                                                {Op::kPow, gpu::Binary::kPow}, {Op::kMax, gpu::Binary::kMax},
                                                {Op::kMin, gpu::Binary::kMin}};
  gpu::BinaryCall call;
  call.element = setting_.element;
  call.op = ops.at(layer_.op);
  call.y = y_.data();
  call.axes = static_cast<int>(layer_.output.size());
  const Numbers order = out_.Order();
  for (std::size_t next = 1; next < operands.size(); ++next) {
    const Operand so_far = {setting_.element, y_.data(), out_.Strides(), 1};
    const Operand &first = next == 1 ? operands[0] : so_far, &second = operands[next];
    call.a_element = first.element;
    call.b_element = second.element;
    call.a = first.values;
    call.b = second.values;
    call.a_factor = static_cast<float>(first.factor);
    call.b_factor = static_cast<float>(second.factor);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto axis = static_cast<std::size_t>(order[i]);
      call.counts[i] = layer_.output[axis];
      call.a_stride[i] = first.strides[axis];
      call.b_stride[i] = second.strides[axis];
    }
    if (HostKernels().binary(call, nullptr) != 0) return Done(1);
  }
  return true;
}

bool KernelLayer::Pool() {
  const auto& a = layer_.As<PoolAttributes>();
  gpu::PoolCall call;
  call.element = setting_.element;
  call.max = layer_.op == Op::kMaxPool;
  call.count_padding = a.count_include_pad;
  call.x = x_[0].data();
  call.y = y_.data();
  call.in = in_[0].Image();
  call.out = out_.Image();
  if (!(a.adaptive == Extent{0, 0})) {
    call.adaptive_h = call.adaptive_w = true;
  } else if (a.global) {
    call.kernel_h = call.in.h;
    call.kernel_w = call.in.w;
  } else {
    call.kernel_h = a.kernel.h;
    call.kernel_w = a.kernel.w;
    call.stride_h = a.stride.h;
    call.stride_w = a.stride.w;
    call.dilation_h = a.dilation.h;
    call.dilation_w = a.dilation.w;
    call.pad_top = a.pad.top;
    call.pad_left = a.pad.left;
    call.pad_bottom = a.pad.bottom;
    call.pad_right = a.pad.right;
  }
  return Done(HostKernels().pool(call, nullptr));
}

bool KernelLayer::Lrn() {
  const auto& a = layer_.As<LrnAttributes>();
  gpu::LrnCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  call.in = in_[0].Image();
  call.size = a.size;
  call.alpha = static_cast<float>(a.alpha);
  call.beta = static_cast<float>(a.beta);
  call.k = static_cast<float>(a.k);
  call.within_channel = a.within_channel;
  return Done(HostKernels().lrn(call, nullptr));
}

bool KernelLayer::Softmax() {
  const Shape& shape = layer_.output;
  const std::size_t axis = reference::AxisOf(layer_.As<AxisAttributes>().axis, shape);
  if (out_.last && axis != 1) return false;
  gpu::RowsCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  call.length = shape[axis];
  call.step = call.inner = out_.last ? 1 : reference::Strides(shape)[axis];
  call.outer = Elements(shape) / call.length / call.inner;
  call.outer_stride = call.length * call.inner;
  return Done(HostKernels().rows(call, nullptr));
}

bool KernelLayer::LayerNorm() {
  if (out_.last) return false;
  const auto& a = layer_.As<LayerNormAttributes>();
  const std::size_t axis = reference::AxisOf(a.axis, layer_.output);
  gpu::RowsCall call;
  call.element = setting_.element;
  call.softmax = false;
  call.x = x_[0].data();
  call.y = y_.data();
  call.length = call.outer_stride =
      Elements(Shape(layer_.output.begin() + static_cast<std::ptrdiff_t>(axis), layer_.output.end()));
  call.outer = Elements(layer_.output) / call.length;
  call.gamma = Weight("gamma");
  call.beta = Weight("beta");
  call.epsilon = static_cast<float>(a.epsilon);
  return Done(HostKernels().rows(call, nullptr));
}

bool KernelLayer::Mean() {
  const Shape& shape = in_[0].shape;
  const Numbers strides = in_[0].Strides();
  std::vector<bool> reduced(shape.size(), false);
  for (const std::int64_t axis : layer_.As<ReduceAttributes>().axes)
    reduced[reference::AxisOf(axis, shape)] = true;
  gpu::MeanCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const int at = reduced[axis] ? call.reduced++ : call.kept++;
    (reduced[axis] ? call.reduced_counts : call.kept_counts)[at] = shape[axis];
    (reduced[axis] ? call.reduced_stride : call.kept_stride)[at] = strides[axis];
  }
  out_.last = false;
  return Done(HostKernels().mean(call, nullptr));
}

bool KernelLayer::Depthwise() {
  const auto& a = layer_.As<ConvAttributes>();
  if (a.groups != in_[0].shape[1]) return false;
  const Tensor& weight = weights_.at({layer_.name, "weight"});
  // (out, 1, h, w): its channels to the end.
  const Shape as_image = {1, weight.shape[0], weight.shape[2], weight.shape[3]};
  const CardTensor laid(setting_.element, Laid(as_image, out_.last).Lay(weight.values));
  gpu::DepthwiseCall call;
  call.element = setting_.element;
  call.channels_last = out_.last;
  call.x = x_[0].data();
  call.weight = laid.data();
  call.bias = Weight("bias");
  call.y = y_.data();
  call.in = in_[0].Image();
  call.out = out_.Image();
  call.kernel_h = a.kernel.h;
  call.kernel_w = a.kernel.w;
  call.stride_h = a.stride.h;
  call.stride_w = a.stride.w;
  call.dilation_h = a.dilation.h;
  call.dilation_w = a.dilation.w;
  call.pad_top = a.pad.top;
  call.pad_left = a.pad.left;
  return Done(HostKernels().depthwise(call, nullptr));
}

bool KernelLayer::Fc() {
  if (in_[0].last || out_.last) return false;
  const Tensor& weight = weights_.at({layer_.name, "weight"});
  const CardTensor laid(setting_.element, weight.values);
  gpu::MatvecCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.weight = laid.data();
  call.bias = Weight("bias");
  call.y = y_.data();
  call.outputs = weight.shape[0];
  call.features = weight.shape[1];
  call.rows = Elements(in_[0].shape) / call.features;
  return Done(HostKernels().matvec(call, nullptr));
}

bool KernelLayer::Moves() {
  switch (layer_.op) {
    case Op::kConcat:
      return Concat();
    case Op::kTranspose:
      return Transpose();
    case Op::kPad:
      return Pad();
    case Op::kSlice:
      return Slice();
    case Op::kUpsample:
      return Upsample();
    default: {
      // The same elements in plain order: axes of the input on both sides.
      out_.last = false;
      gpu::GatherCall call = Gather(x_[0], {});
      call.axes = static_cast<int>(in_[0].shape.size());
      const Numbers strides = in_[0].Strides(), plain = reference::Strides(in_[0].shape);
      std::copy(in_[0].shape.begin(), in_[0].shape.end(), call.counts);
      std::copy(strides.begin(), strides.end(), call.x_stride);
      std::copy(plain.begin(), plain.end(), call.y_stride);
      return Run(call);
    }
  }
}

bool KernelLayer::Concat() {
  const std::size_t axis = reference::AxisOf(layer_.As<AxisAttributes>().axis, layer_.output);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    gpu::GatherCall call = Gather(x_[i], in_[i].Strides());
    call.counts[axis] = in_[i].shape[axis];
    call.y = y_.At(static_cast<std::size_t>(first * out_.Strides()[axis]));
    first += in_[i].shape[axis];
    Run(call);
  }
  return true;
}

bool KernelLayer::Transpose() {
  Numbers strides;
  for (const std::int64_t axis : layer_.As<TransposeAttributes>().order) {
    strides.push_back(in_[0].Strides()[static_cast<std::size_t>(axis)]);
  }
  return Run(Gather(x_[0], strides));
}

bool KernelLayer::Slice() {
  const auto& a = layer_.As<SliceAttributes>();
  const Shape& in = in_[0].shape;
  Numbers strides = in_[0].Strides();
  std::int64_t first = 0;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = reference::AxisOf(a.axes[i], in);
    const std::int64_t start = a.starts[i] < 0 ? a.starts[i] + in[axis] : a.starts[i];
    first += std::clamp(start, std::int64_t{0}, in[axis]) * strides[axis];
    strides[axis] *= a.steps[i];
  }
  gpu::GatherCall call = Gather(x_[0], strides);
  call.x = x_[0].At(static_cast<std::size_t>(first));
  return Run(call);
}

bool KernelLayer::Pad() {
  const auto& a = layer_.As<PadAttributes>();
  const Shape& in = in_[0].shape;
  gpu::GatherCall call = Gather(x_[0], in_[0].Strides());
  call.fill = static_cast<float>(a.value);
  std::vector<std::vector<std::int32_t>> tables(in.size());
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    if (a.before[axis] == 0 && a.after[axis] == 0) continue;
    for (std::int64_t i = 0; i < layer_.output[axis]; ++i) {
      const std::int64_t at = i - a.before[axis], end = in[axis] - 1;
      std::int64_t from = at;
      if (at < 0 || at > end) {
        from = a.mode == PadMode::kConstant ? -1 : at < 0 ? (a.mode == PadMode::kEdge ? 0 : -at) : end;
        if (a.mode == PadMode::kReflect && at > end) from = 2 * end - at;
      }
      tables[axis].push_back(static_cast<std::int32_t>(from));
    }
    call.table[axis] = tables[axis].data();
  }
  return Run(call);
}

bool KernelLayer::Upsample() {
  const auto& a = layer_.As<UpsampleAttributes>();
  if (a.mode == UpsampleMode::kLinear) {
    const gpu::ResizeCall call = {setting_.element, x_[0].data(), y_.data(), in_[0].Image(),
                                  out_.Image(),     a.scale_h,    a.scale_w};
    return Done(HostKernels().resize(call, nullptr));
  }
  gpu::GatherCall call = Gather(x_[0], in_[0].Strides());
  std::vector<std::int32_t> tables[2];
  for (const std::size_t axis : {2, 3}) {
    const double scale = axis == 2 ? a.scale_h : a.scale_w;
    for (std::int64_t i = 0; i < layer_.output[axis]; ++i) {
      const auto from = static_cast<std::int64_t>(static_cast<double>(i) / scale);
      tables[axis - 2].push_back(static_cast<std::int32_t>(std::min(from, in_[0].shape[axis] - 1)));
    }
    call.table[axis] = tables[axis - 2].data();
  }
  return Run(call);
}

}  // namespace

std::optional<Tensor> RunOnKernels(const Layer& layer, const Weights& weights,
                                   const std::vector<const Tensor*>& inputs, KernelSetting setting) {
  return KernelLayer(layer, weights, inputs, setting).Run();
}

void RoundToHalf(Tensor& tensor) {
  for (float& value : tensor.values) value = __half2float(__float2half(value));
}

}  // namespace tandem
