#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/importers/onnx/fold.h"

namespace tandem {
namespace {

OnnxConstant FromTensor(const OnnxNode& node, const onnx::TensorProto& tensor) {
  try {
    return StoredConstant(tensor, node.file());
  } catch (const InputError& error) {
    node.Fail("its value: " + std::string(error.what()));
  }
}

float FirstNumber(const OnnxNode& node, const OnnxConstant& constant) {
  try {
    return FloatValues(constant, node.file())->front();
  } catch (const InputError& error) {
    node.Fail("its value: " + std::string(error.what()));
  }
}

}  // namespace

OnnxConstant FoldConstant(OnnxNode& node) {
  if (const onnx::TensorProto* tensor = node.Tensor("value")) return FromTensor(node, *tensor);
  if (node.HasAttribute("value_int")) {
    return MakeConstant({}, std::vector<std::int64_t>{node.Int("value_int", 0)});
  }
  if (node.HasAttribute("value_float")) {
    return MakeConstant({}, std::vector<float>{static_cast<float>(node.Float("value_float", 0))});
  }
  if (const auto ints = node.Ints("value_ints")) {
    return MakeConstant({static_cast<std::int64_t>(ints->size())}, *ints);
  }
  if (const auto floats = node.Floats("value_floats")) {
    return MakeConstant({static_cast<std::int64_t>(floats->size())}, *floats);
  }
  node.Fail("only constants of numbers, stated one by one, are supported");
}

OnnxConstant FoldConstantOfShape(OnnxNode& node) {
  OnnxConstant constant;
  constant.shape = node.IntsOf(0);
  const std::int64_t elements = node.Elements(constant.shape);
  const onnx::TensorProto* tensor = node.Tensor("value");
  const OnnxConstant value =
      tensor == nullptr ? MakeConstant({}, std::vector<float>{0}) : FromTensor(node, *tensor);
  if (node.Elements(value.shape) != 1) node.Fail("its value is not one number");
  constant.integer = value.integer;
  constant.fill = FirstNumber(node, value);
  if (!value.integer || elements > kOnnxSmallTensor || !node.Spend(elements)) return constant;
  return MakeConstant(constant.shape,
                      std::vector<std::int64_t>(static_cast<std::size_t>(elements), value.ints->front()));
}

OnnxConstant FoldShape(OnnxNode& node) {
  const Shape& shape = node.ShapeOf(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto clamp = [rank](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = clamp(node.Int("start", 0));
  const std::int64_t end = std::max(start, clamp(node.Int("end", rank)));
  return MakeConstant({end - start}, std::vector<std::int64_t>(shape.begin() + start, shape.begin() + end));
}

OnnxConstant FoldSize(OnnxNode& node) {
  return MakeConstant({}, std::vector<std::int64_t>{node.Elements(node.ShapeOf(0))});
}

}  // namespace tandem
