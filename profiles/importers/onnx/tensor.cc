#include "profiles/importers/onnx/tensor.h"

#include <cmath>
#include <type_traits>

#include "profiles/base/input_error.h"
#include "profiles/base/stored_numbers.h"
#include "profiles/model/import_rules.h"
#include "profiles/model/layer.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using onnx::TensorProto;

[[noreturn]] void Fail(const std::string& what) { throw InputError(what); }

// An element as raw bytes hold it, from one of the fields.
template <class Stored, class Field>
Stored FromField(Field value) {
  if constexpr (std::is_class_v<Stored>) {
    return {static_cast<std::uint16_t>(value)};
  } else {
    return static_cast<Stored>(value);
  }
}

bool IsFloat(int type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE || type == TensorProto::FLOAT16 ||
         type == TensorProto::BFLOAT16;
}

bool IsExternal(const TensorProto& tensor) { return tensor.data_location() == TensorProto::EXTERNAL; }

std::string TypeName(int type) {
  if (!TensorProto::DataType_IsValid(type)) return "number " + std::to_string(type);
  return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type));
}

// Calls visit(an element as raw bytes hold it, the field that holds the elements otherwise).
template <class Visitor>
auto VisitType(const TensorProto& tensor, Visitor visit) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return visit(float{}, tensor.float_data());
    case TensorProto::DOUBLE:
      return visit(double{}, tensor.double_data());
    case TensorProto::FLOAT16:
      return visit(Half{}, tensor.int32_data());
    case TensorProto::BFLOAT16:
      return visit(Bfloat{}, tensor.int32_data());
    case TensorProto::INT64:
      return visit(std::int64_t{}, tensor.int64_data());
    case TensorProto::INT32:
      return visit(std::int32_t{}, tensor.int32_data());
    case TensorProto::INT16:
      return visit(std::int16_t{}, tensor.int32_data());
    case TensorProto::INT8:
      return visit(std::int8_t{}, tensor.int32_data());
    case TensorProto::UINT16:
      return visit(std::uint16_t{}, tensor.int32_data());
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return visit(std::uint8_t{}, tensor.int32_data());
    case TensorProto::UINT32:
      return visit(std::uint32_t{}, tensor.uint64_data());
    case TensorProto::UINT64:
      return visit(std::uint64_t{}, tensor.uint64_data());
    default:
      Fail("its elements are of type " + TypeName(tensor.data_type()) + ", which is not supported");
  }
}

// Of a tensor that StoredConstant has accepted.
template <class Out>
std::vector<Out> Decode(const TensorProto& tensor, const fs::path& file) {
  return VisitType(tensor, [&](auto element, const auto& field) {
    using Stored = decltype(element);
    if (IsExternal(tensor)) {
      const std::int64_t count = CheckedElements({tensor.dims().begin(), tensor.dims().end()});
      const std::uint64_t bytes = static_cast<std::uint64_t>(count) * sizeof(Stored);
      return FromBytes<Out, Stored>(ReadOnnxExternal(tensor, file, bytes));
    }
    if (tensor.has_raw_data()) return FromBytes<Out, Stored>(tensor.raw_data());
    std::vector<Out> values;
    values.reserve(static_cast<std::size_t>(field.size()));
    for (const auto value : field) values.push_back(Converted<Out>(FromField<Stored>(value)));
    return values;
  });
}

void CheckSize(const TensorProto& tensor, const Shape& shape, std::uint64_t count) {
  VisitType(tensor, [&](auto element, const auto& field) {
    const std::uint64_t need = tensor.has_raw_data() ? count * sizeof element : count;
    const std::uint64_t have =
        tensor.has_raw_data() ? tensor.raw_data().size() : static_cast<std::uint64_t>(field.size());
    if (have == need) return;
    Fail("it has " + std::to_string(have) + (tensor.has_raw_data() ? " bytes" : " numbers") +
         " of data, its shape " + ShapeText(shape) + " needs " + std::to_string(need));
  });
}

}  // namespace

OnnxConstant StoredConstant(const TensorProto& tensor, const fs::path& file) {
  OnnxConstant constant;
  constant.shape.assign(tensor.dims().begin(), tensor.dims().end());
  const std::int64_t count = CheckedElements(constant.shape);
  if (tensor.has_segment()) Fail("it is cut into segments, which is not supported");
  if (!IsExternal(tensor)) CheckSize(tensor, constant.shape, static_cast<std::uint64_t>(count));
  constant.integer = !IsFloat(tensor.data_type());
  if (constant.integer && count <= kOnnxSmallTensor) {
    constant = MakeConstant(constant.shape, Decode<std::int64_t>(tensor, file));
  } else {
    constant.stored = &tensor;
  }
  constant.type = tensor.data_type();
  return constant;
}

std::optional<std::vector<float>> FloatValues(const OnnxConstant& constant, const fs::path& file) {
  if (constant.floats) return *constant.floats;
  if (constant.ints) return std::vector<float>(constant.ints->begin(), constant.ints->end());
  if (constant.stored != nullptr) return Decode<float>(*constant.stored, file);
  if (!constant.fill) return std::nullopt;
  return std::vector<float>(static_cast<std::size_t>(CheckedElements(constant.shape)), *constant.fill);
}

std::optional<std::vector<std::int64_t>> IntValues(const OnnxConstant& constant, const fs::path& file) {
  if (constant.ints) return *constant.ints;
  if (constant.integer && constant.stored != nullptr) return Decode<std::int64_t>(*constant.stored, file);
  const std::optional<std::vector<float>> floats = FloatValues(constant, file);
  if (!floats) return std::nullopt;
  std::vector<std::int64_t> ints;
  for (const float value : *floats) {
    if (!(std::abs(value) < 0x1p62f) || std::trunc(value) != value) {
      Fail("whole numbers are expected, it holds " + std::to_string(value));
    }
    ints.push_back(static_cast<std::int64_t>(value));
  }
  return ints;
}

OnnxConstant MakeConstant(Shape shape, std::vector<std::int64_t> values) {
  OnnxConstant constant;
  constant.shape = std::move(shape);
  constant.integer = true;
  constant.ints = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
  return constant;
}

OnnxConstant MakeConstant(Shape shape, std::vector<float> values) {
  OnnxConstant constant;
  constant.shape = std::move(shape);
  constant.floats = std::make_shared<const std::vector<float>>(std::move(values));
  return constant;
}

}  // namespace tandem
