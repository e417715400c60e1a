#include "sim/sweep/json_values.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr double kBeyondSigned = 0x1p63, kBeyondUnsigned = 0x1p64;

// Seeds may need all 64 bits, which a double has not.
std::string DecimalOf(const JsonReader& value) {
  const double number = value.Number(std::numeric_limits<double>::lowest());
  const bool unsigned_alone = number >= kBeyondSigned && number < kBeyondUnsigned;
  return unsigned_alone ? std::to_string(value.Unsigned()) : JsonNumber(number);
}

std::string StructureOf(const JsonReader& value) {
  const bool object = value.IsObject();
  std::string text;
  for (const JsonReader inside : object ? value.Members() : value.Elements()) {
    text += text.empty() ? "" : ", ";
    if (object) text += JsonString(inside.key()) + ": ";
    text += JsonTextOf(inside);
  }
  return object ? "{" + text + "}" : "[" + text + "]";
}

constexpr int kDigitsOfProduct = 15;  // 0.3, not 0.30000000000000004

// In so many digits, or decimals as a time in the file may have them.
double InDigits(double value, std::chars_format format, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, format, digits).ptr;
  std::from_chars(text, end, value);
  return value;
}

}  // namespace

nlohmann::json JsonNumberFor(double value, std::string_view place) {
  value = InDigits(value, std::chars_format::general, kDigitsOfProduct);
  if (place.ends_with("_us")) value = InDigits(value, std::chars_format::fixed, 3);
  if (place.ends_with("_ms")) value = InDigits(value, std::chars_format::fixed, 6);
  return nlohmann::json::parse(JsonNumber(value));
}

nlohmann::json JsonForKey(const AskedValue& value, std::string_view key) {
  if (value.number && value.unit.empty()) {
    const auto exact = nlohmann::json::parse(value.text, nullptr, false);
    if (exact.is_number_integer()) return exact;  // seeds need all their digits
  }
  if (value.number) return JsonNumberFor(InUnitOfKey(value, key), key);
  auto json = nlohmann::json::parse(value.text, nullptr, false);
  return json.is_discarded() ? nlohmann::json(value.text) : json;
}

void MultiplyJson(nlohmann::json& value, double factor, std::string_view place) {
  if (value.is_array()) {
    for (auto& element : value) MultiplyJson(element, factor, place);
    return;
  }
  if (!value.is_number()) {
    throw InputError("at " + Quoted(place) + " stands no number to multiply, but " + value.dump());
  }
  value = JsonNumberFor(value.get<double>() * factor, place);
}

std::string JsonTextOf(const JsonReader& value) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kFalse:
      return "false";
    case JsonKind::kTrue:
      return "true";
    case JsonKind::kInteger:
      return std::to_string(value.Integer(std::numeric_limits<std::int64_t>::min()));
    case JsonKind::kDecimal:
      return DecimalOf(value);
    case JsonKind::kString:
      return JsonString(value.String());
    case JsonKind::kArray:
    case JsonKind::kObject:
      return StructureOf(value);
  }
  return {};
}

std::string PlainValue(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  return value.is_string() ? value.get<std::string>() : json;
}

CodecOf<std::string> as::AnyValue() {
  return Custom<std::string>(
      R"("title": "any value")",
      [](const JsonReader& value, std::string& into, Context) { into = JsonTextOf(value); },
      [](const std::string& from, std::string& text, Context) { text += from; });
}

}  // namespace tandem
