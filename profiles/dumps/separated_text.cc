#include "profiles/dumps/separated_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/dumps/dump.h"

namespace tandem {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // what some programs put before UTF-8

// Of a field in quotes, from behind the first one; `line` goes on behind the last.
std::string TakeQuoted(std::string_view& line, const std::string& place) {
  std::string field;
  while (true) {
    const std::size_t end = line.find('"');
    if (end == std::string_view::npos) throw InputError(place + ": a quote is opened and not closed");
    field += line.substr(0, end);
    line.remove_prefix(end + 1);
    if (!line.starts_with('"')) return field;
    field += '"';
    line.remove_prefix(1);
  }
}

std::vector<std::string> FieldsIn(std::string_view line, char separator, const std::string& place) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (line.substr(begin).starts_with('"')) {
      line.remove_prefix(begin + 1);
      fields.push_back(TakeQuoted(line, place));
      const std::size_t end = std::min(line.find(separator), line.size());
      if (!Trimmed(line.substr(0, end)).empty()) {
        throw InputError(place + ": something follows the quote that closes a field");
      }
      line.remove_prefix(end);
    } else {
      const std::size_t end = std::min(line.find(separator), line.size());
      fields.emplace_back(Trimmed(line.substr(0, end)));
      line.remove_prefix(end);
    }
    if (line.empty()) return fields;
    line.remove_prefix(1);
  }
}

char SeparatorOf(std::string_view heading, const std::string& place) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char separator : {'\t', ';', ','}) {
    bool quoted = false;
    const auto parts = std::count_if(heading.begin(), heading.end(), [&](char c) {
      quoted = quoted != (c == '"');
      return c == separator && !quoted;
    });
    if (parts <= most) continue;
    most = parts;
    best = separator;
  }
  if (most > 0) return best;
  throw InputError(place +
                   ": the heading has one column alone; columns are separated by commas, semicolons "
                   "or tabs");
}

bool IsBlank(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const std::string& field) { return field.empty(); });
}

// Spreadsheets write columns behind the last one in which nothing stands.
void DropBlankColumns(std::vector<SeparatedLine>& lines) {
  std::size_t columns = lines[0].fields.size();
  const auto all = [&](auto holds) { return std::all_of(lines.begin(), lines.end(), holds); };
  if (!all([&](const SeparatedLine& line) { return line.fields.size() == columns; })) return;
  while (columns > 1 && all([&](const SeparatedLine& line) { return line.fields[columns - 1].empty(); })) {
    --columns;
  }
  for (SeparatedLine& line : lines) line.fields.resize(columns);
}

}  // namespace

SeparatedText ReadSeparated(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos) {
    throw InputError(file + ": is no plain text (UTF-16?); save it as CSV in UTF-8");
  }
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const char end_of_line = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  SeparatedText read;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find(end_of_line), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (Trimmed(line).empty() || Trimmed(line).starts_with('#')) continue;
    const std::string place = file + ":" + std::to_string(number);
    if (read.lines.empty()) read.separator = SeparatorOf(line, place);
    std::vector<std::string> fields = FieldsIn(line, read.separator, place);
    if (!IsBlank(fields)) read.lines.push_back({number, std::move(fields)});
  }
  if (read.lines.empty()) throw InputError(file + ": is empty; its first line is the heading");
  DropBlankColumns(read.lines);
  return read;
}

}  // namespace tandem
