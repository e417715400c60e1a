#include "sim/sweep/json_values.h"

#include <limits>
#include <nlohmann/json.hpp>

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

}  // namespace

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
