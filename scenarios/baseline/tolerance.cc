#include "scenarios/baseline/tolerance.h"

#include <charconv>
#include <cmath>

#include "profiles/base/json_write.h"

namespace tandem {
namespace {

constexpr const char* kToleranceSchema =
    R"("anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$"}])";

}  // namespace

double Tolerance::Of(double value) const { return percent ? std::abs(value) * amount / 100 : amount; }

std::string Tolerance::Text() const { return JsonNumber(amount) + (percent ? "%" : ""); }

std::optional<Tolerance> ParseTolerance(std::string_view text) {
  Tolerance tolerance;
  tolerance.percent = text.ends_with('%');
  if (tolerance.percent) text.remove_suffix(1);
  // Digits and one dot: no signs, exponents or words such as "inf".
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tolerance.amount);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return tolerance;
}

CodecOf<Tolerance> as::ToleranceOrPercent() {
  return Custom<Tolerance>(
      kToleranceSchema,
      [](const JsonReader& value, Tolerance& into, Context) {
        if (!value.IsString()) {
          into = {value.Number(0), false};
          return;
        }
        const auto parsed = ParseTolerance(value.String());
        if (!parsed || !parsed->percent) {
          value.Fail("a tolerance is a number or a percentage such as \"2%\", not " + Quoted(value.String()));
        }
        into = *parsed;
      },
      [](const Tolerance& from, std::string& text, Context) {
        text += from.percent ? JsonString(from.Text()) : from.Text();
      });
}

}  // namespace tandem
