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

bool tables_cut = true;  // of the whole process, as its standard output is

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

// `text` broken at spaces into lines of at most `width`, those after the first indented.
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
  const std::vector<std::size_t> widths = Widths(width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text = Lines(titles, widths);
  for (const auto& row : rows_) text += Lines(row, widths);
  return text;
}

std::vector<std::size_t> Table::Widths(std::size_t width) const {
  std::vector<std::size_t> widths;
  std::size_t total = kGap * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = Characters(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, Characters(row[i]));
    widths.push_back(widest);
    total += widest;
  }
  for (; total > width; --total) {
    const std::size_t column = GivesWay(widths);
    if (column == columns_.size()) break;
    --widths[column];
  }
  return widths;
}

// Sentences while they stay readable, then names, then sentences again: the widest first.
std::size_t Table::GivesWay(const std::vector<std::size_t>& widths) const {
  std::size_t first_name = 0;
  while (first_name < columns_.size() && !columns_[first_name].shrinks) ++first_name;
  const auto widest = [&](const auto& may) {
    std::size_t found = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (may(i) && (found == columns_.size() || widths[i] > widths[found])) found = i;
    }
    return found;
  };
  const auto wraps = [&](std::size_t least) {
    return widest([&, least](std::size_t i) { return columns_[i].wraps && widths[i] > least; });
  };
  const auto shrinks = [&](std::size_t i) {
    return tables_cut && columns_[i].shrinks && widths[i] > kLeastShrunk;
  };
  if (const std::size_t found = wraps(kWellWrapped); found < columns_.size()) return found;
  const std::size_t found = widest([&](std::size_t i) { return i != first_name && shrinks(i); });
  if (found < columns_.size()) return found;
  if (first_name < columns_.size() && shrinks(first_name)) return first_name;
  return wraps(kLeastWrapped);
}

std::string Table::Lines(const std::vector<std::string>& cells,
                         const std::vector<std::size_t>& widths) const {
  std::vector<std::vector<std::string>> parts;  // the lines of each cell
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    parts.push_back(columns_[i].wraps ? Broken(cells[i], widths[i], 0)
                                      : std::vector<std::string>{Shortened(cells[i], widths[i])});
    height = std::max(height, parts.back().size());
  }
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = row < parts[i].size() ? parts[i][row] : "";
      const std::size_t used = std::min(widths[i], Characters(cell));
      const std::string space(widths[i] - used, ' ');
      line += std::string(i == 0 ? 0 : kGap, ' ') + (columns_[i].right ? space + cell : cell + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

bool LetTablesCut(bool cut) { return std::exchange(tables_cut, cut); }

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
