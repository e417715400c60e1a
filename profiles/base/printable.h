// Text from files, as a terminal may see it: what it would obey or hide is written out. "\u001b" for control
// characters and for marks that turn the direction of writing, "\x9b" for bytes that are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

// The first character of a text that is not empty: its bytes, and whether it shows as it is.
struct Glyph {
  std::size_t length = 1;
  bool shows = true;
  std::string written;  // where it does not
};
Glyph FirstGlyph(std::string_view text);

std::string Printable(std::string_view text);      // in lines: ends of lines and tabs stay
std::string PrintableLine(std::string_view text);  // on one line

}  // namespace tandem
