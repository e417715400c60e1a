#include "profiles/model/attribute_codecs.h"

#include <algorithm>
#include <limits>
#include <string>

namespace tandem::as {
namespace {

constexpr double kMostNegative = std::numeric_limits<double>::lowest();
constexpr double kMostPositive = std::numeric_limits<double>::max();

std::vector<std::int64_t> ReadExactly(const JsonReader& value, std::size_t count, const char* what) {
  std::vector<std::int64_t> numbers;
  Integers()->Read(value, numbers, {});
  if (numbers.size() != count) value.Fail(std::string("expected ") + what);
  return numbers;
}

// A number with a fraction even where that is 0, as it always was in model files.
void WriteNumber(double value, std::string& text) {
  const std::string number = JsonNumber(std::clamp(value, kMostNegative, kMostPositive));
  text += number;
  if (number.find_first_of(".e") == std::string::npos) text += ".0";
}

}  // namespace

CodecOf<std::int64_t> AnyInteger() { return Integer(std::numeric_limits<std::int64_t>::min()); }

CodecOf<double> AnyNumber() {
  return Custom<double>(
      R"("type": "number")",
      [](const JsonReader& value, double& into, Context) { into = value.Number(kMostNegative); },
      [](double from, std::string& text, Context) { WriteNumber(from, text); });
}

CodecOf<std::vector<std::int64_t>> Integers() { return ListOf(AnyInteger()); }
CodecOf<std::vector<double>> Numbers() { return ListOf(AnyNumber()); }

CodecOf<Extent> HeightWidth() {
  return Custom<Extent>(
      R"("type": "array", "description": "Height, width.", "minItems": 2, "maxItems": 2, "items": {"type": "integer"})",
      [](const JsonReader& value, Extent& into, Context) {
        const auto read = ReadExactly(value, 2, "the two extents [height, width]");
        into = {read[0], read[1]};
      },
      [](const Extent& from, std::string& text, Context) {
        text += JsonIntegers<std::int64_t>({from.h, from.w});
      });
}

CodecOf<Padding> FourPaddings() {
  return Custom<Padding>(
      R"("type": "array", "description": "Top, left, bottom, right.", "minItems": 4, "maxItems": 4, "items": {"type": "integer"})",
      [](const JsonReader& value, Padding& into, Context) {
        const auto read = ReadExactly(value, 4, "the four paddings [top, left, bottom, right]");
        into = {read[0], read[1], read[2], read[3]};
      },
      [](const Padding& from, std::string& text, Context) {
        text += JsonIntegers<std::int64_t>({from.top, from.left, from.bottom, from.right});
      });
}

}  // namespace tandem::as
