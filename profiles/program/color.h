// A little colour on a terminal: what is best stands out, and so does what is wrong. It never says what the
// text does not say.
#pragma once

#include <string>
#include <string_view>

namespace tandem {

// `when`: "always", "never", or "auto": is standard output a terminal that shows colours, and does NO_COLOR
// not stand against it?
bool ColorsWanted(std::string_view when);
bool ShowColors(bool show);  // returns what was so before; none at first
bool ColorsAreShown();

// `text`, which holds nothing that a terminal obeys: lines that begin with "* ", the best of a table, in
// bold; and of cells in a table (between two blanks) the words that say that something is wrong in red.
std::string Colored(std::string_view text);

}  // namespace tandem
