// Text within XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace tandem {

// Escaped, for elements and attributes. What XML 1.0 cannot say at all becomes U+FFFD.
std::string XmlText(std::string_view text);
// The same for people: what a terminal would obey or hide is written out first (printable.h).
std::string ShownXmlText(std::string_view text);

}  // namespace tandem
