// Elementwise operations of any shapes and number of operands.
#include "device/backends/cuda/gpu/emit.h"

namespace tandem::gpu {
namespace {

struct Operand {
  Shape shape;
  GpuForm form;
  ValueId value;  // invalid: a constant
  const float* constant = nullptr;
  float factor = 1;
};

Binary BinaryOf(Op op) {
  switch (op) {
    case Op::kAdd:
      return Binary::kAdd;
    case Op::kSub:
      return Binary::kSub;
    case Op::kMul:
      return Binary::kMul;
    case Op::kDiv:
      return Binary::kDiv;
    case Op::kPow:
      return Binary::kPow;
    case Op::kMax:
      return Binary::kMax;
    default:
      return Binary::kMin;
  }
}

std::vector<Operand> OperandsOf(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const auto& a = layer.As<ElementwiseAttributes>();
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const GpuTensor made = out.Made(layer.inputs[i]);
    const double factor = a.coefficients.empty() ? 1.0 : a.coefficients[i];
    operands.push_back(
        {out.shape(layer.inputs[i]), made.form, made.value, nullptr, static_cast<float>(factor)});
  }
  if (a.has_constant) {
    const auto count = static_cast<std::size_t>(Elements(a.constant_shape));
    const float* const constant = out.constants().Floats({out.weights().Of(id, "constant"), count});
    operands.insert(a.constant_first ? operands.begin() : operands.end(),
                    {a.constant_shape, kPlainForm, ValueId(), constant, 1});
  }
  return operands;
}

// The result is dense in its own form; operands step through theirs.
BinaryCall CallOf(const Operand& a, const Operand& b, const Shape& shape, GpuForm form) {
  BinaryCall call;
  call.element = form.element;
  call.a_element = a.form.element;
  call.b_element = b.form.element;
  call.a_factor = a.factor;
  call.b_factor = b.factor;
  const auto x = BroadcastStrides(a.shape, a.form.format, shape.size());
  const auto y = BroadcastStrides(b.shape, b.form.format, shape.size());
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(shape.size(), form.format)) {
    axes.push_back({shape[axis], x[axis], y[axis], nullptr});
  }
  for (const GpuAxis& axis : Merged(axes)) {
    call.counts[call.axes] = axis.count;
    call.a_stride[call.axes] = axis.x;
    call.b_stride[call.axes++] = axis.y;
  }
  return call;
}

void AddBinary(GpuAssembler& out, LayerId id, BinaryCall call, const Operand& a, const Operand& b,
               ValueId y) {
  std::vector<ValueId> uses = {y};
  if (a.value.valid()) uses.push_back(a.value);
  if (b.value.valid()) uses.push_back(b.value);
  out.AddStep({id}, std::string(OpName(out.layer(id).op)), std::move(uses),
              [=](CardStream& stream, const GpuAddresses& at) mutable {
                call.a = a.value.valid() ? static_cast<const void*>(at[a.value]) : a.constant;
                call.b = b.value.valid() ? static_cast<const void*>(at[b.value]) : b.constant;
                call.y = at[y];
                stream.Run(call);
              });
}

// The first two operands, then what came out and the third, and so on.
void EmitElementwise(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const std::vector<Operand> operands = OperandsOf(out, id);
  const GpuForm form = out.Simplest(layer.output, out.CommonForm(layer.inputs));
  const ValueId y = out.Make(id, form);
  Operand so_far = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    BinaryCall call = CallOf(so_far, operands[i], layer.output, form);
    call.op = BinaryOf(layer.op);
    AddBinary(out, id, call, so_far, operands[i], y);
    so_far = {layer.output, form, y, nullptr, 1};
  }
}

void EmitCombined(GpuAssembler& out, const FusedGroup& group) {
  if (IsAffine(out.model(), group[0])) return EmitAffine(out, group);
  return IsPlainSum(out.model(), group[0]) ? EmitSum(out, group) : EmitElementwise(out, group[0]);
}

const Emitters kElementwise{{Op::kAdd, EmitCombined}, {Op::kSub, EmitCombined}, {Op::kMul, EmitCombined},
                            {Op::kDiv, EmitCombined}, {Op::kPow, EmitCombined}, {Op::kMax, EmitCombined},
                            {Op::kMin, EmitCombined}};

}  // namespace
}  // namespace tandem::gpu
