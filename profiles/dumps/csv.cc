#include "profiles/dumps/csv.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/dumps/dump.h"

namespace tandem {
namespace {

std::vector<std::string> CellsOf(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = std::string(Trimmed(cell));
  return cells;
}

}  // namespace

CsvTable::CsvTable(std::string_view text, const std::string& file) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() && headings_.empty()) continue;
    if (line.empty()) break;
    std::vector<std::string> cells = CellsOf(line);
    const std::string place = file + ":" + std::to_string(number);
    if (headings_.empty()) {
      headings_ = std::move(cells);
    } else if (cells.size() != headings_.size()) {
      throw InputError(place + ": has " + std::to_string(cells.size()) + " cells under " +
                       std::to_string(headings_.size()) + " headings; was the file cut off?");
    } else {
      rows_.push_back({place, std::move(cells)});
    }
  }
}

bool CsvTable::Has(std::string_view heading) const {
  return std::find(headings_.begin(), headings_.end(), heading) != headings_.end();
}

std::string CsvTable::Headings() const { return Joined(headings_); }

std::optional<std::string> CsvTable::Cell(const CsvRow& row, std::string_view heading) const {
  const auto at = std::find(headings_.begin(), headings_.end(), heading);
  if (at == headings_.end()) return std::nullopt;
  const std::string& cell = row.cells[static_cast<std::size_t>(at - headings_.begin())];
  return cell.empty() ? std::nullopt : std::optional(cell);
}

}  // namespace tandem
