#include "tests/support/device/kernel_layer.h"

#include <cmath>
#include <map>

#include "tests/support/device/kernel_layer_parts.h"

namespace tandem {
namespace {

using gpu::CardTensor;
using gpu::Element;
using gpu::Function;
using gpu::HostKernels;
using Numbers = std::vector<std::int64_t>;

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
  if (layer.op == Op::kQuantize) {
    const auto& a = layer.As<QuantizeAttributes>();
    return with(Function::kQuantize, a.scale, static_cast<double>(a.least()));
  }
  if (layer.op == Op::kClip)
    return with(Function::kClip, layer.As<ClipAttributes>().min, layer.As<ClipAttributes>().max);
  return {kinds.at(layer.op), 0, 0};
}

}  // namespace

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
  const std::int64_t batch = shape.empty() ? 1 : shape[0];  // one number has no axis to count it by
  call.inner = out_.last ? 1 : call.count / (batch * call.channels);
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

namespace {

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

}  // namespace

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

std::optional<Tensor> RunOnKernels(const Layer& layer, const Weights& weights,
                                   const std::vector<const Tensor*>& inputs, KernelSetting setting) {
  return KernelLayer(layer, weights, inputs, setting).Run();
}

void RoundToHalf(Tensor& tensor) {
  for (float& value : tensor.values) value = __half2float(__float2half(value));
}

}  // namespace tandem
