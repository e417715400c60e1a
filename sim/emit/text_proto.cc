#include "sim/emit/text_proto.h"

#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/joined.h"

namespace tandem {
namespace {

// Bytes that a text cannot have are written in octal.
std::string Escaped(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      text += '\\';
      for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      text += c;
    }
  }
  return text + '"';
}

}  // namespace

void TextProto::Line(std::string_view text) { text_.append(2 * depth_, ' ').append(text) += '\n'; }

void TextProto::Text(std::string_view field, std::string_view value) { Word(field, Escaped(value)); }
void TextProto::Word(std::string_view field, std::string_view word) {
  Line(std::string(field).append(": ").append(word));
}
void TextProto::Number(std::string_view field, std::int64_t value) { Word(field, std::to_string(value)); }
void TextProto::Numbers(std::string_view field, const std::vector<std::int64_t>& values) {
  Word(field, "[" + Joined(values) + "]");
}

void TextProto::Open(std::string_view field) {
  Line(std::string(field) + " {");
  ++depth_;
}

void TextProto::Close() {
  TANDEM_CHECK(depth_ > 0, "what is closed was opened");
  --depth_;
  Line("}");
}

std::string TextProto::Take() {
  TANDEM_CHECK(depth_ == 0, "what was opened is closed");
  return std::move(text_);
}

}  // namespace tandem
