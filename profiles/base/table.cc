#include "profiles/base/table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/figures.h"
#include "profiles/base/printable.h"

namespace tandem {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastShrunk = 14;  // most models' names are whole then
constexpr std::size_t kLeastWrapped = 8, kWellWrapped = 24;
constexpr std::string_view kCut = "..";
constexpr std::size_t kLineIndent = 2;

TablesCut tables_cut = TablesCut::kNames;  // of the whole process, as its standard output is

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

// Where the character number `index` starts.
std::size_t Offset(std::string_view text, std::size_t index) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (StartsCharacter(text[i]) && seen++ == index) return i;
  }
  return text.size();
}

// In pieces of at most `width` characters, at a '/' or '_' where one is in the second half of a piece.
std::vector<std::string> Pieces(std::string_view text, std::size_t width) {
  std::vector<std::string> pieces;
  while (Characters(text) > width) {
    std::size_t end = Offset(text, width);
    const std::size_t joint = text.substr(0, end).find_last_of("/_- ,");
    if (joint != std::string_view::npos && joint + 1 > Offset(text, width / 2)) end = joint + 1;
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  pieces.emplace_back(text);
  return pieces;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = PrintableLine(column.title);
}

void Table::Add(std::vector<std::string> row) {
  TANDEM_CHECK(row.size() == columns_.size(), "a row has a cell for every column");
  for (std::string& cell : row) cell = PrintableLine(cell);
  rows_.push_back(std::move(row));
}

std::string Table::Text(std::size_t width) const {
  std::string text;
  for (const Positions& shown : Blocks(width)) {
    const std::vector<std::size_t> widths = Widths(width, shown);
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    if (!text.empty()) text += "\n";
    text += Lines(titles, widths, shown);
    for (const auto& row : rows_) text += Lines(row, widths, shown);
  }
  return text;
}

std::size_t Table::WidthOf(std::size_t column) const {
  std::size_t widest = Characters(columns_[column].title);
  for (const auto& row : rows_) widest = std::max(widest, Characters(row[column]));
  return widest;
}

bool Table::StandsWhole(std::size_t width) const {
  std::size_t total = kGap * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) total += WidthOf(i);
  return total <= width;
}

// By column; of those that are not shown, too.
std::vector<std::size_t> Table::Widths(std::size_t width, const Positions& shown) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) widths.push_back(WidthOf(i));
  std::size_t total = kGap * (shown.size() - 1);
  for (const std::size_t i : shown) total += widths[i];
  for (; total > width; --total) {
    const std::size_t column = GivesWay(widths, shown);
    if (column == columns_.size()) break;
    --widths[column];
  }
  return widths;
}

// The columns of each table: all of them in one, where that is wide enough.
std::vector<Table::Positions> Table::Blocks(std::size_t width) const {
  Positions all(columns_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (tables_cut == TablesCut::kNever) return {all};
  const std::vector<std::size_t> widths = Widths(width, all);
  const bool marked = columns_[0].title.empty() && columns_.size() > 1;  // a mark, then what the row is about
  const std::size_t first = marked ? 2 : 1;
  const Positions head(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<Positions> blocks = {head};
  std::size_t before = 0;
  for (std::size_t i = 0; i < first; ++i) before += widths[i] + (i > 0 ? kGap : 0);
  std::size_t total = before;
  for (std::size_t i = first; i < columns_.size(); ++i) {
    if (total + kGap + widths[i] > width && blocks.back().size() > first) {
      blocks.push_back(head);
      total = before;
    }
    blocks.back().push_back(i);
    total += kGap + widths[i];
  }
  return blocks;
}

// Sentences while they stay readable, then names, then sentences again, then whatever is no number: the
// widest first. Names that go on below are whole as long as sentences can give way. What sentences need they
// have as long as other columns stand beside them that could stand in a table of their own.
std::size_t Table::GivesWay(const std::vector<std::size_t>& widths, const Positions& shown) const {
  const std::size_t none = columns_.size();
  std::size_t first_name = 0;
  while (first_name < columns_.size() && !columns_[first_name].shrinks) ++first_name;
  const auto widest = [&](const auto& may) {
    std::size_t found = none;
    for (const std::size_t i : shown) {
      if (may(i) && (found == none || widths[i] > widths[found])) found = i;
    }
    return found;
  };
  const auto needed = [&](std::size_t i) { return shown.size() < columns_.size() ? 0 : columns_[i].least; };
  const auto wraps = [&](std::size_t least) {
    return widest(
        [&, least](std::size_t i) { return columns_[i].wraps && widths[i] > std::max(least, needed(i)); });
  };
  const auto names = [&] {
    const auto shrinks = [&](std::size_t i) {
      return tables_cut != TablesCut::kNever && columns_[i].shrinks && widths[i] > kLeastShrunk;
    };
    const std::size_t found = widest([&](std::size_t i) { return i != first_name && shrinks(i); });
    return found == none && first_name < none && shrinks(first_name) ? first_name : found;
  };
  const bool cut = tables_cut == TablesCut::kNames;
  if (const std::size_t found = wraps(kWellWrapped); found != none) return found;
  if (const std::size_t found = cut ? names() : wraps(kLeastWrapped); found != none) return found;
  if (const std::size_t found = cut ? wraps(kLeastWrapped) : names(); found != none) return found;
  return widest([&](std::size_t i) {
    return tables_cut != TablesCut::kNever && !columns_[i].right &&
           widths[i] > std::max(kLeastShrunk, needed(i));
  });
}

std::vector<std::string> Table::Cell(const std::string& text, std::size_t column, std::size_t width) const {
  if (columns_[column].wraps) {
    std::vector<std::string> lines;
    for (const std::string& line : Broken(text, width)) {
      const bool whole = tables_cut == TablesCut::kNever;
      for (std::string& piece : whole ? std::vector<std::string>{line} : Pieces(line, width)) {
        lines.push_back(std::move(piece));
      }
    }
    return lines;
  }
  if (tables_cut == TablesCut::kGoOnBelow) return Pieces(text, width);
  return {Shortened(text, width)};
}

std::string Table::Lines(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                         const Positions& shown) const {
  std::vector<std::vector<std::string>> parts;  // the lines of each cell
  std::size_t height = 1;
  for (const std::size_t i : shown) {
    parts.push_back(Cell(cells[i], i, widths[i]));
    height = std::max(height, parts.back().size());
  }
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t p = 0; p < shown.size(); ++p) {
      const std::size_t i = shown[p];
      const std::string cell = row < parts[p].size() ? parts[p][row] : "";
      const std::size_t used = std::min(widths[i], Characters(cell));
      const std::string space(widths[i] - used, ' ');
      line += std::string(p == 0 ? 0 : kGap, ' ') + (columns_[i].right ? space + cell : cell + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

TablesCut LetTablesCut(TablesCut cut) { return std::exchange(tables_cut, cut); }

std::vector<std::string> Broken(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t needed = Characters(word);
    if (used > 0 && used + 1 + needed > width) {
      lines.emplace_back(indent, ' ');
      used = indent;
    } else if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += word;
    used += needed;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines;
}

std::string Shortened(std::string_view text, std::size_t width) {
  const std::size_t characters = Characters(text);
  if (characters <= width) return std::string(text);
  const std::size_t kept = width > kCut.size() ? width - kCut.size() : 0;
  const std::size_t front = (kept + 1) / 2;
  return std::string(text.substr(0, Offset(text, front))) + std::string(kCut) +
         std::string(text.substr(Offset(text, characters - (kept - front))));
}

std::string Wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  for (const std::string& line : Broken(text, width, kLineIndent)) lines += line + "\n";
  return lines;
}

std::string Grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string Rounded(std::int64_t value) {
  if (value < 1000) return std::to_string(value);
  double scaled = static_cast<double>(value);
  std::size_t unit = 0;
  for (; scaled >= 999.5; scaled /= 1000) ++unit;
  const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  return Fixed(scaled, decimals) + " kMGTPE"[unit];
}

}  // namespace tandem
