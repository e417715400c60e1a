// Tables as tools write them: a line of headings, then rows of cells between commas, in quotes where a cell
// has one itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct CsvRow {
  std::string place;  // "perf.csv:2"
  std::vector<std::string> cells;
};

class CsvTable {
 public:
  // Lines up to an empty one, from the first; throws InputError where a row has another number of cells.
  CsvTable(std::string_view text, const std::string& file);

  const std::vector<CsvRow>& rows() const { return rows_; }
  // The cell under that heading; nothing: there is no such column, or nothing in it.
  std::optional<std::string> Cell(const CsvRow& row, std::string_view heading) const;
  bool Has(std::string_view heading) const;
  std::string Headings() const;

 private:
  std::vector<std::string> headings_;
  std::vector<CsvRow> rows_;
};

}  // namespace tandem
