#include "profiles/importers/tflite/tensor.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/input_error.h"
#include "profiles/base/stored_numbers.h"
#include "profiles/model/import_rules.h"

namespace tandem {
namespace {

using tfl::TensorType;

constexpr std::size_t kMostAxes = 32;
constexpr std::int64_t kLargestZero = std::int64_t{1} << 31;

[[noreturn]] void Fail(const std::string& what) { throw InputError(what); }

// Calls visit(an element as the bytes hold it).
template <class Visitor>
auto VisitElement(TensorType type, Visitor visit) {
  switch (type) {
    case TensorType::FLOAT32:
      return visit(float{});
    case TensorType::FLOAT64:
      return visit(double{});
    case TensorType::FLOAT16:
      return visit(Half{});
    case TensorType::BFLOAT16:
      return visit(Bfloat{});
    case TensorType::INT64:
      return visit(std::int64_t{});
    case TensorType::INT32:
      return visit(std::int32_t{});
    case TensorType::INT16:
      return visit(std::int16_t{});
    case TensorType::INT8:
      return visit(std::int8_t{});
    case TensorType::UINT8:
    case TensorType::BOOL:
      return visit(std::uint8_t{});
    default:
      Fail("its numbers are of type " + TfliteTypeText(type) + ", which is not supported");
  }
}

template <class Out>
std::vector<Out> Decoded(const TfliteConstant& constant) {
  return VisitElement(constant.stored->type(),
                      [&](auto element) { return FromBytes<Out, decltype(element)>(constant.bytes); });
}

bool IsWhole(TensorType type) {
  return type == TensorType::INT64 || type == TensorType::INT32 || type == TensorType::INT16 ||
         type == TensorType::INT8 || type == TensorType::UINT8 || type == TensorType::BOOL;
}

// One scale and zero point for all numbers, or one for each place along an axis.
struct Scales {
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;
  std::size_t axis = 0;
  std::size_t places = 1, inner = 1;

  std::size_t At(std::size_t i) const { return places == 1 ? 0 : i / inner % places; }
};

void FindPlaces(Scales& found, std::int64_t axis, const Shape& shape) {
  const std::size_t count = found.scales.size();
  if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size() ||
      static_cast<std::int64_t>(count) != shape[static_cast<std::size_t>(axis)]) {
    Fail("it has " + std::to_string(count) + " scales along axis " + std::to_string(axis) + " of " +
         ShapeText(shape));
  }
  found.axis = static_cast<std::size_t>(axis);
  found.places = count;
  for (std::size_t i = found.axis + 1; i < shape.size(); ++i)
    found.inner *= static_cast<std::size_t>(shape[i]);
}

std::optional<Scales> ReadScales(const tfl::Tensor& tensor, const Shape& shape) {
  const tfl::QuantizationParameters* given = tensor.quantization();
  if (given == nullptr) return std::nullopt;
  if (given->details_type() != 0) {
    Fail("it is quantized by a scheme of its own (blocks, several axes), which is not supported");
  }
  if (given->scale() == nullptr || given->scale()->size() == 0) return std::nullopt;
  Scales found;
  found.scales.assign(given->scale()->begin(), given->scale()->end());
  // Of vectors the verifier looks at the border of their length alone, which is half of what these need.
  if (const auto* zeros = given->zero_point()) {
    found.zeros = FromBytes<std::int64_t, std::int64_t>(
        {reinterpret_cast<const char*>(zeros->Data()), zeros->size() * sizeof(std::int64_t)});
  }
  if (found.zeros.size() <= 1)
    found.zeros.resize(found.scales.size(), found.zeros.empty() ? 0 : found.zeros[0]);
  if (found.zeros.size() != found.scales.size()) Fail("it has not as many zero points as scales");
  for (const float scale : found.scales) {
    if (!(scale >= 0) || !std::isfinite(scale))
      Fail("its scale of " + std::to_string(scale) + " is no scale");
  }
  for (const std::int64_t zero : found.zeros) {
    if (zero < -kLargestZero || zero > kLargestZero)
      Fail("its zero point " + std::to_string(zero) + " is out of range");
  }
  if (found.scales.size() > 1) FindPlaces(found, given->quantized_dimension(), shape);
  return found;
}

// A scale for everything but numbers of floating point, which some files say something of, too.
std::optional<Scales> ScalesOfStored(const TfliteConstant& constant) {
  if (constant.stored == nullptr || !IsWhole(constant.stored->type())) return std::nullopt;
  return ReadScales(*constant.stored, TfliteShape(*constant.stored));
}

bool IsOfBytes(const TfliteConstant& constant) {
  return constant.stored->type() == TensorType::INT8 || constant.stored->type() == TensorType::UINT8;
}

}  // namespace

TfliteConstant MakeTfliteConstant(Shape shape, std::vector<std::int64_t> values) {
  TfliteConstant constant{.shape = std::move(shape)};
  constant.ints = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
  return constant;
}

TfliteConstant MakeTfliteConstant(Shape shape, std::vector<float> values) {
  TfliteConstant constant{.shape = std::move(shape)};
  constant.floats = std::make_shared<const std::vector<float>>(std::move(values));
  return constant;
}

std::string TfliteTypeText(TensorType type) {
  const std::string name = tfl::EnumNameTensorType(type);
  return name.empty() ? "number " + std::to_string(static_cast<int>(type)) : name;
}

Shape TfliteShape(const tfl::Tensor& tensor) {
  Shape shape;
  if (tensor.shape() != nullptr) shape.assign(tensor.shape()->begin(), tensor.shape()->end());
  if (shape.size() > kMostAxes) Fail("it has " + std::to_string(shape.size()) + " axes");
  CheckedElements(shape);
  return shape;
}

std::optional<QuantizeAttributes> TfliteGrid(const tfl::Tensor& tensor) {
  const TensorType type = tensor.type();
  if (type == TensorType::FLOAT32 || type == TensorType::FLOAT16) return std::nullopt;
  if (type == TensorType::INT16) {
    Fail(
        "its numbers are whole ones of 16 bits (int16x8), for which there are no kernels; convert the "
        "network "
        "to int8, or leave it in float");
  }
  if (type != TensorType::INT8 && type != TensorType::UINT8) {
    Fail("its numbers are of type " + TfliteTypeText(type) + "; supported are FLOAT32, INT8 and UINT8");
  }
  const auto scales = ReadScales(tensor, TfliteShape(tensor));
  if (!scales) Fail("its numbers are of type " + TfliteTypeText(type) + ", and it has no scale for them");
  if (scales->scales.size() != 1) Fail("it has a scale for each channel, which constants alone may have");
  if (!(scales->scales[0] > 0)) Fail("its scale is 0");
  QuantizeAttributes grid;
  grid.scale = static_cast<double>(scales->scales[0]);
  grid.zero_point = scales->zeros[0];
  grid.type = type == TensorType::INT8 ? GridType::kInt8 : GridType::kUint8;
  const std::int64_t least = type == TensorType::INT8 ? -128 : 0;
  if (grid.zero_point < least || grid.zero_point > least + 255) {
    Fail("its zero point " + std::to_string(grid.zero_point) + " is no " + TfliteTypeText(type));
  }
  return grid;
}

TfliteConstant TfliteStored(const tfl::Tensor& tensor, std::string_view bytes) {
  TfliteConstant constant{.shape = TfliteShape(tensor), .stored = &tensor, .bytes = bytes};
  if (tensor.sparsity() != nullptr) {
    Fail("it is sparse, which is not supported; convert the network without sparsity");
  }
  const auto count = static_cast<std::uint64_t>(CheckedElements(constant.shape));
  const std::uint64_t need =
      VisitElement(tensor.type(), [count](auto element) { return count * sizeof element; });
  if (bytes.size() != need) {
    Fail("it has " + std::to_string(bytes.size()) + " bytes of data, its shape " + ShapeText(constant.shape) +
         " needs " + std::to_string(need));
  }
  ScalesOfStored(constant);
  return constant;
}

std::vector<float> TfliteFloats(const TfliteConstant& constant) {
  if (constant.floats) return *constant.floats;
  if (constant.ints) return {constant.ints->begin(), constant.ints->end()};
  const std::optional<Scales> scales = ScalesOfStored(constant);
  if (!scales) return Decoded<float>(constant);
  const std::vector<std::int64_t> numbers = Decoded<std::int64_t>(constant);
  std::vector<float> values(numbers.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t at = scales->At(i);
    const double multiple = static_cast<double>(numbers[i]) - static_cast<double>(scales->zeros[at]);
    values[i] = static_cast<float>(multiple) * scales->scales[at];
  }
  return values;
}

std::vector<std::int64_t> TfliteInts(const TfliteConstant& constant) {
  if (constant.ints) return *constant.ints;
  if (constant.stored != nullptr && IsWhole(constant.stored->type())) return Decoded<std::int64_t>(constant);
  Fail("whole numbers are expected" +
       (constant.stored == nullptr ? "" : ", it holds " + TfliteTypeText(constant.stored->type())));
}

std::optional<std::vector<float>> TfliteSteps(const TfliteConstant& constant, std::size_t axis,
                                              std::int64_t outputs) {
  const std::optional<Scales> scales = ScalesOfStored(constant);
  if (!scales || !IsOfBytes(constant)) return std::nullopt;
  const std::vector<float>& steps = scales->scales;
  if (std::any_of(steps.begin(), steps.end(), [](float step) { return !(step > 0); })) return std::nullopt;
  const auto all = static_cast<std::size_t>(outputs);
  if (steps.size() == 1) return std::vector<float>(all, steps[0]);
  if (scales->axis != axis || steps.size() != all) return std::nullopt;
  return steps;
}

}  // namespace tandem
