#include "profiles/base/markup.h"

#include "profiles/base/printable.h"

namespace tandem {
namespace {

// U+FFFE and U+FFFF, which are no characters of XML.
bool IsNoCharacter(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

}  // namespace

std::string XmlText(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsNoCharacter(text.substr(i))) {
      escaped += "\xef\xbf\xbd";
      i += 2;
      continue;
    }
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? "\xef\xbf\xbd" : std::string(1, c);
    }
  }
  return escaped;
}

std::string ShownXmlText(std::string_view text) { return XmlText(Printable(text)); }

}  // namespace tandem
