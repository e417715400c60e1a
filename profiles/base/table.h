// A table of text that fits a terminal: columns are aligned, sentences go on below, and where that is not
// enough names lose their middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;    // numbers
    bool shrinks = false;  // names: cut in the middle where the table is too wide
    bool wraps = false;    // sentences: continued on further lines there
  };

  explicit Table(std::vector<Column> columns);
  void Add(std::vector<std::string> row);  // one cell per column; what is not printable is written out
  // Lines of at most `width` characters, unless the columns that do not shrink need more. The first of the
  // names is what a row is about: it gives way last.
  std::string Text(std::size_t width) const;

 private:
  std::size_t GivesWay(const std::vector<std::size_t>& widths) const;
  std::vector<std::size_t> Widths(std::size_t width) const;
  std::string Lines(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// May tables cut names to fit? Not where no terminal ends the lines (a file, a pipe); at first they may.
// Returns what was so before.
bool LetTablesCut(bool cut);

// "inception_3a..pool_proj": `text` cut in the middle to `width` characters (of UTF-8, not bytes).
std::string Shortened(std::string_view text, std::size_t width);

// `text` in lines of at most `width` characters, broken at spaces, later lines indented; ends with a newline.
std::string Wrapped(std::string_view text, std::size_t width);

// 25557032 as "25,557,032".
std::string Grouped(std::int64_t value);
// A count, not negative, in three digits: 25557032 as "25.6M".
std::string Rounded(std::int64_t value);

}  // namespace tandem
