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
    bool right = false;     // numbers
    bool shrinks = false;   // names: cut in the middle where the table is too wide
    bool wraps = false;     // sentences: continued on further lines there
    std::size_t least = 0;  // the width that sentences need: with less they stand in a table below
  };

  explicit Table(std::vector<Column> columns);
  void Add(std::vector<std::string> row);  // one cell per column; what is not printable is written out
  // Lines of at most `width` characters. The first of the names is what a row is about: it gives way last.
  // Where the columns need more all the same, those that have no room stand in a table of their own below,
  // with the first column again.
  std::string Text(std::size_t width) const;
  // Have all columns room beside each other, with every cell whole?
  bool StandsWhole(std::size_t width) const;

 private:
  using Positions = std::vector<std::size_t>;  // of columns
  std::size_t GivesWay(const std::vector<std::size_t>& widths, const Positions& shown) const;
  std::size_t WidthOf(std::size_t column) const;
  std::vector<std::size_t> Widths(std::size_t width, const Positions& shown) const;
  std::vector<Positions> Blocks(std::size_t width) const;
  std::vector<std::string> Cell(const std::string& text, std::size_t column, std::size_t width) const;
  std::string Lines(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                    const Positions& shown) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// What tables do with names that do not fit: on a terminal they lose their middle; where nobody looks (a
// file, a pipe) all of them is there, and goes on below; or nothing, and lines are as long as they are.
// Returns what was so before; that is kNames at first.
enum class TablesCut { kNames, kGoOnBelow, kNever };
TablesCut LetTablesCut(TablesCut cut);

// "inception_3a..pool_proj": `text` cut in the middle to `width` characters (of UTF-8, not bytes).
std::string Shortened(std::string_view text, std::size_t width);

// `text` broken at spaces into lines of at most `width` characters, those after the first indented; a longer
// word stays whole.
std::vector<std::string> Broken(std::string_view text, std::size_t width, std::size_t indent = 0);
// The same as text, later lines indented a little; ends with a newline.
std::string Wrapped(std::string_view text, std::size_t width);

// 25557032 as "25,557,032".
std::string Grouped(std::int64_t value);
// A count, not negative, in three digits: 25557032 as "25.6M".
std::string Rounded(std::int64_t value);

}  // namespace tandem
