#include "profiles/base/printable.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace tandem {
namespace {

unsigned char ByteOf(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes; 0: these are no UTF-8
};

CodePoint FirstCodePoint(std::string_view text) {
  const std::uint32_t lead = ByteOf(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return {};
  std::uint32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((ByteOf(text, i) & 0xC0) != 0x80) return {};
    value = value << 6 | (ByteOf(text, i) & 0x3FU);
  }
  // Longer than it need be, half of a pair, beyond the last.
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool half = value >= 0xD800 && value <= 0xDFFF;
  return value < kLeast[length] || half || value > 0x10FFFF ? CodePoint{} : CodePoint{value, length};
}

bool Shows(std::uint32_t point) {
  const auto between = [&](std::uint32_t first, std::uint32_t last) {
    return point >= first && point <= last;
  };
  const bool control = point < 0x20 || between(0x7F, 0x9F);
  const bool turns =
      point == 0x61C || between(0x200E, 0x200F) || between(0x202A, 0x202E) || between(0x2066, 0x2069);
  const bool ends_line = between(0x2028, 0x2029);
  return !control && !turns && !ends_line;
}

std::string Escape(const char* format, std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(value));
  return text;
}

bool IsPlain(char c) { return c >= ' ' && c <= '~'; }

std::string Shown(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto plain = std::find_if_not(text.begin(), text.end(), [&](char c) {
      return IsPlain(c) || kept.find(c) != std::string_view::npos;
    });
    shown.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) break;
    const Glyph glyph = FirstGlyph(text);
    shown += glyph.shows ? text.substr(0, glyph.length) : std::string_view(glyph.written);
    text.remove_prefix(glyph.length);
  }
  return shown;
}

}  // namespace

Glyph FirstGlyph(std::string_view text) {
  const CodePoint first = FirstCodePoint(text);
  if (first.length == 0) return {1, false, Escape("\\x%02x", ByteOf(text, 0))};
  if (Shows(first.value)) return {first.length, true, {}};
  return {first.length, false, Escape("\\u%04x", first.value)};
}

std::string Printable(std::string_view text) { return Shown(text, "\n\t"); }
std::string PrintableLine(std::string_view text) { return Shown(text, ""); }

}  // namespace tandem
