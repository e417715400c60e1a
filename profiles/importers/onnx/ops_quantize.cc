// QuantizeLinear and DequantizeLinear, as exporters put them around every operator: both together are a layer
// that moves each number to the nearest one of a grid, and of a constant its numbers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/importers/onnx/fold.h"
#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

constexpr std::size_t kValues = 0, kScale = 1, kZeroPoint = 2;  // inputs of both

std::string TypeText(int type) {
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(type));
}

// The scale and the zero point of a whole tensor.
QuantizeAttributes GridOf(const OnnxNode& node, int type_of_values) {
  const OnnxConstant& scale = node.Constant(kScale);
  if (node.Elements(scale.shape) != 1) {
    node.Fail("its scale of " + ShapeText(scale.shape) +
              " is for each channel, which is supported of constants alone");
  }
  QuantizeAttributes grid;
  grid.scale = static_cast<double>(node.FloatOf(kScale));
  if (!(grid.scale > 0) || !std::isfinite(grid.scale)) node.Fail("its scale is not above 0");
  int type = type_of_values;
  if (node.Has(kZeroPoint)) {
    const std::vector<std::int64_t> zero = node.IntsOf(kZeroPoint);
    if (zero.size() != 1) node.Fail("its zero point is not one number");
    grid.zero_point = zero[0];
    if (node.Constant(kZeroPoint).type != 0) type = node.Constant(kZeroPoint).type;
  }
  if (type != onnx::TensorProto::INT8 && type != onnx::TensorProto::UINT8) {
    node.Fail("its integers are of type " + TypeText(type) + "; supported are INT8 and UINT8");
  }
  grid.type = type == onnx::TensorProto::INT8 ? GridType::kInt8 : GridType::kUint8;
  return grid;
}

// One number for all, or one for each place along an axis.
struct Along {
  std::size_t axis = 0;
  std::size_t places = 1, inner = 1;
  std::size_t At(std::size_t i, std::size_t numbers) const { return numbers == 1 ? 0 : i / inner % places; }
};
Along AlongOf(const OnnxNode& node, const Shape& shape, std::size_t numbers) {
  if (node.Int("block_size", 0) != 0) node.Fail("its scales are for each block, which is not supported");
  Along along;
  if (numbers == 1) return along;
  along.axis = static_cast<std::size_t>(node.Axis(node.Int("axis", 1), shape.size()));
  along.places = static_cast<std::size_t>(shape[along.axis]);
  for (std::size_t axis = along.axis + 1; axis < shape.size(); ++axis)
    along.inner *= static_cast<std::size_t>(shape[axis]);
  if (numbers != along.places) {
    node.Fail("it has " + std::to_string(numbers) + " scales for " + std::to_string(along.places) +
              " places of its axis");
  }
  return along;
}

std::vector<std::int64_t> ZeroPoints(const OnnxNode& node, std::size_t scales) {
  if (!node.Has(kZeroPoint)) return std::vector<std::int64_t>(scales);
  std::vector<std::int64_t> zeros = node.IntsOf(kZeroPoint);
  if (zeros.size() != scales) node.Fail("it has not as many zero points as scales");
  return zeros;
}

// Does a byte hold each integer, and each zero point?
bool AreOfEightBits(int type, const std::vector<std::int64_t>& zeros) {
  if (type != onnx::TensorProto::INT8 && type != onnx::TensorProto::UINT8) return false;
  const std::int64_t least = type == onnx::TensorProto::INT8 ? -128 : 0;
  return std::all_of(zeros.begin(), zeros.end(),
                     [least](std::int64_t zero) { return zero >= least && zero <= least + 255; });
}

}  // namespace

void TranslateQuantizeLinear(OnnxNode& node) {
  const std::int64_t asked = node.Int("output_dtype", 0);
  const QuantizeAttributes grid =
      GridOf(node, asked != 0 ? static_cast<int>(asked) : onnx::TensorProto::UINT8);
  OnnxActivation integers = node.Layer(Op::kQuantize, grid, {node.Data(kValues)});
  integers.integers = grid;
  node.Give(0, std::move(integers));
}

void TranslateDequantizeLinear(OnnxNode& node) {
  OnnxActivation numbers = node.Integers(kValues);
  const GridType type = numbers.integers ? numbers.integers->type : numbers.open->type;
  const QuantizeAttributes asked =
      GridOf(node, type == GridType::kInt8 ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  if (numbers.integers && !(asked == *numbers.integers))
    node.Fail("its scale or zero point is another than that of the QuantizeLinear before it");
  if (const auto open = std::exchange(numbers.open, nullptr)) {
    if (asked.type != type || open->grid.value_or(asked) != asked)
      node.Fail(
          "its type, scale or zero point is another than that of the input, or of another node behind it");
    open->grid = asked;
    numbers = node.Layer(Op::kQuantize, asked, {numbers});
  }
  numbers.integers.reset();
  node.Give(0, std::move(numbers));
}

OnnxConstant FoldDequantizeLinear(OnnxNode& node) {
  const OnnxConstant& in = node.Constant(kValues);
  if (!in.integer) node.Fail("its constant is of no integers");
  const std::vector<float> scales = node.FloatsOf(kScale);
  const std::vector<std::int64_t> zeros = ZeroPoints(node, scales.size());
  const Along along = AlongOf(node, in.shape, scales.size());
  OnnxConstant numbers;
  numbers.shape = in.shape;
  if (in.known() && node.Spend(node.Elements(in.shape))) {
    const std::vector<std::int64_t> integers = node.IntsOf(kValues);
    std::vector<float> values(integers.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t at = along.At(i, scales.size());
      values[i] = static_cast<float>(integers[i] - zeros[at]) * scales[at];
    }
    numbers = MakeConstant(in.shape, std::move(values));
  }
  if (AreOfEightBits(in.type, zeros)) {
    numbers.steps = std::make_shared<const std::vector<float>>(scales);
    numbers.step_axis = along.axis;
  }
  return numbers;
}

// Some exporters leave weights as they were before.
OnnxConstant FoldQuantizeLinear(OnnxNode& node) {
  const OnnxConstant& in = node.Constant(kValues);
  const std::vector<float> scales = node.FloatsOf(kScale);
  const std::vector<std::int64_t> zeros = ZeroPoints(node, scales.size());
  const Along along = AlongOf(node, in.shape, scales.size());
  const int type = node.Has(kZeroPoint) && node.Constant(kZeroPoint).type != 0
                       ? node.Constant(kZeroPoint).type
                       : onnx::TensorProto::UINT8;
  if (type != onnx::TensorProto::INT8 && type != onnx::TensorProto::UINT8) {
    node.Fail("its integers are of type " + TypeText(type) + "; supported are INT8 and UINT8");
  }
  const double least = type == onnx::TensorProto::INT8 ? -128 : 0;
  OnnxConstant integers;
  integers.shape = in.shape;
  integers.integer = true;
  if (in.known() && node.Spend(node.Elements(in.shape))) {
    std::vector<std::int64_t> values;
    for (const float value : node.FloatsOf(kValues)) {
      const std::size_t at = along.At(values.size(), scales.size());
      const double nearest = std::nearbyint(value / scales[at]) + static_cast<double>(zeros[at]);
      if (std::isnan(nearest)) node.Fail("its constant has a number that is none");
      values.push_back(static_cast<std::int64_t>(std::clamp(nearest, least, least + 255)));
    }
    integers = MakeConstant(in.shape, std::move(values));
  }
  integers.type = type;
  return integers;
}

std::optional<OnnxConstant> StepsOf(const OnnxConstant& constant, std::size_t axis, std::int64_t outputs) {
  if (!constant.steps) return std::nullopt;
  const std::vector<float>& steps = *constant.steps;
  const auto is_step = [](float step) { return step > 0 && std::isfinite(step); };
  if (!std::all_of(steps.begin(), steps.end(), is_step)) return std::nullopt;
  const auto all = static_cast<std::size_t>(outputs);
  if (steps.size() == 1) return MakeConstant({outputs}, std::vector<float>(all, steps[0]));
  if (constant.step_axis != axis || steps.size() != all) return std::nullopt;
  return MakeConstant({outputs}, steps);
}

}  // namespace tandem
