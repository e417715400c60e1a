// Lines of fields with commas, semicolons or tabs between them, as spreadsheets write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct SeparatedLine {
  std::size_t number = 0;  // from 1
  std::vector<std::string> fields;
};

struct SeparatedText {
  char separator = ',';
  std::vector<SeparatedLine> lines;  // without those in which nothing stands, or that begin with '#'
};

// The separator is what makes most fields of the first line. Fields may stand in quotes; columns behind the
// last one in which something stands are left out. Throws InputError.
SeparatedText ReadSeparated(std::string_view text, const std::string& file);

}  // namespace tandem
