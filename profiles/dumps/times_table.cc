#include "profiles/dumps/times_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "profiles/base/decimal.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/model_identity.h"
#include "profiles/dumps/dump.h"
#include "profiles/dumps/separated_text.h"
#include "profiles/model/model_source.h"

namespace tandem {
namespace {

struct TimeUnit {
  std::string_view word;
  int decimals;  // 10^decimals nanoseconds
};
constexpr std::array<TimeUnit, 13> kTimeUnits = {{{"ns", 0},
                                                  {"us", 3},
                                                  {"ms", 6},
                                                  {"s", 9},
                                                  {"\xC2\xB5s", 3},
                                                  {"\xCE\xBCs", 3},
                                                  {"usec", 3},
                                                  {"msec", 6},
                                                  {"sec", 9},
                                                  {"nanoseconds", 0},
                                                  {"microseconds", 3},
                                                  {"milliseconds", 6},
                                                  {"seconds", 9}}};

enum class ColumnIs { kModel, kUnit, kTime, kBatch, kPrecision, kVariant };
struct ColumnName {
  std::string_view name;
  ColumnIs is;
};
constexpr std::array<ColumnName, 21> kColumnNames = {
    {{"model", ColumnIs::kModel},         {"network", ColumnIs::kModel},
     {"unit", ColumnIs::kUnit},           {"device", ColumnIs::kUnit},
     {"processor", ColumnIs::kUnit},      {"accelerator", ColumnIs::kUnit},
     {"time", ColumnIs::kTime},           {"latency", ColumnIs::kTime},
     {"median", ColumnIs::kTime},         {"mean", ColumnIs::kTime},
     {"average", ColumnIs::kTime},        {"duration", ColumnIs::kTime},
     {"median_latency", ColumnIs::kTime}, {"mean_latency", ColumnIs::kTime},
     {"batch", ColumnIs::kBatch},         {"batch_size", ColumnIs::kBatch},
     {"precision", ColumnIs::kPrecision}, {"dtype", ColumnIs::kPrecision},
     {"variant", ColumnIs::kVariant},     {"library", ColumnIs::kVariant},
     {"runtime", ColumnIs::kVariant}}};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '_' : c;
  return lower;
}

std::optional<int> DecimalsOf(std::string_view word) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (Lower(word) == unit.word) return unit.decimals;
  }
  return std::nullopt;
}

// "cpu_ms", "cpu (ms)", "cpu [ms]", "cpu ms", "cpu/ms" or "ms" alone: the name before the unit of time.
struct Heading {
  std::string name;
  std::optional<int> decimals;
};
Heading HeadingOf(std::string_view cell) {
  if (const auto alone = DecimalsOf(cell)) return {"", alone};
  std::string_view rest = cell;
  const bool in_brackets = rest.ends_with(')') || rest.ends_with(']');
  if (in_brackets) rest.remove_suffix(1);
  const std::size_t joint = rest.find_last_of(in_brackets ? "([" : "_ /");
  if (joint == std::string_view::npos) return {std::string(cell), std::nullopt};
  const auto decimals = DecimalsOf(Trimmed(rest.substr(joint + 1)));
  if (!decimals) return {std::string(cell), std::nullopt};
  std::string_view name = Trimmed(rest.substr(0, joint));
  while (name.ends_with('_') || name.ends_with(',')) name.remove_suffix(1);
  return {std::string(Trimmed(name)), decimals};
}

std::optional<ColumnIs> ColumnOf(std::string_view name) {
  for (const ColumnName& known : kColumnNames) {
    if (Lower(name) == known.name) return known.is;
  }
  return std::nullopt;
}

struct TimesColumn {
  ColumnIs is = ColumnIs::kTime;
  std::string title;  // as the heading has it
  std::string unit;   // of the board; empty: the row says it
  std::optional<int> decimals;
};

class TableReader {
 public:
  TableReader(const std::filesystem::path& file, const TableDefaults& defaults)
      : defaults_(defaults), text_(ReadSeparated(ReadTextFile(file), NameOfInput(file))) {
    table_.file = file.string();
    name_ = NameOfInput(file);
    if (!defaults.time_unit.empty()) usual_ = DecimalsOf(defaults.time_unit);
    ReadHeading(text_.lines[0]);
    for (std::size_t i = 1; i < text_.lines.size(); ++i) ReadRow(text_.lines[i]);
    if (table_.times.empty()) throw InputError(name_ + ": has no times below its heading");
  }
  TimesTable Take() { return std::move(table_); }

 private:
  [[noreturn]] void Fail(const SeparatedLine& line, std::size_t column, const std::string& what) const {
    const std::string& title = text_.lines[0].fields[column];
    throw InputError(name_ + ":" + std::to_string(line.number) + ": column " + std::to_string(column + 1) +
                     (title.empty() || &line == &text_.lines[0] ? "" : " (" + title + ")") + ": " + what);
  }

  bool IsUnitOfBoard(const std::string& name) const {
    return std::find(defaults_.units.begin(), defaults_.units.end(), name) != defaults_.units.end();
  }

  void ReadHeading(const SeparatedLine& line) {
    const auto is = [&](ColumnIs what) {
      return std::any_of(line.fields.begin(), line.fields.end(), [&](const std::string& field) {
        return ColumnOf(HeadingOf(field).name) == what && !IsUnitOfBoard(field);
      });
    };
    a_time_a_row_ = is(ColumnIs::kModel) && is(ColumnIs::kUnit);
    for (std::size_t i = 0; i < line.fields.size(); ++i) {
      columns_.push_back(a_time_a_row_ ? ColumnOfTimes(line, i) : ColumnOfUnits(line, i));
    }
    JudgeColumns(line);
  }

  TimesColumn ColumnOfTimes(const SeparatedLine& line, std::size_t i) const {
    const Heading heading = HeadingOf(line.fields[i]);
    TimesColumn column{ColumnIs::kTime, line.fields[i], "", heading.decimals};
    if (heading.name.empty() && heading.decimals) return column;
    const auto is = ColumnOf(heading.name);
    if (is) column.is = *is;
    if (is || heading.decimals) return column;
    std::vector<std::string> known;
    for (const ColumnName& name : kColumnNames) known.emplace_back(name.name);
    Fail(line, i,
         "unknown column " + Quoted(line.fields[i]) + Suggestion(line.fields[i], known) +
             "; a table of times has model, unit, a time such as time_ms, and perhaps batch, "
             "precision, variant");
  }

  // The first is the models'; of the others what is no unit of the board may be batch, precision or variant.
  TimesColumn ColumnOfUnits(const SeparatedLine& line, std::size_t i) {
    const std::string& title = line.fields[i];
    Heading heading = HeadingOf(title);
    if (i == 0) {
      if (heading.decimals && !usual_) usual_ = heading.decimals;
      return {ColumnIs::kModel, title, "", std::nullopt};
    }
    if (IsUnitOfBoard(title)) heading = {title, std::nullopt};
    if (!title.empty() && title.find_first_not_of("0123456789.,") == title.npos && !IsUnitOfBoard(title)) {
      Fail(line, i, Quoted(title) + " is a number; the first line is the heading, such as model,cpu_ms");
    }
    const auto is = ColumnOf(heading.name);
    const bool of_row = is == ColumnIs::kBatch || is == ColumnIs::kPrecision || is == ColumnIs::kVariant;
    if (of_row && !IsUnitOfBoard(heading.name)) return {*is, title, "", std::nullopt};
    if (heading.name.empty()) Fail(line, i, "a column without a name; it is a unit's");
    if (!defaults_.units.empty() && !IsUnitOfBoard(heading.name)) {
      Fail(line, i,
           "the board has no unit " + Quoted(heading.name) + Suggestion(heading.name, defaults_.units) +
               "; it has " + Joined(defaults_.units));
    }
    return {ColumnIs::kTime, title, heading.name, heading.decimals};
  }

  void JudgeColumns(const SeparatedLine& line) {
    std::size_t times = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      TimesColumn& column = columns_[i];
      for (std::size_t before = 0; before < i; ++before) {
        const TimesColumn& other = columns_[before];
        if (column.is == other.is && column.unit == other.unit) {
          Fail(line, i, "says the same as column " + std::to_string(before + 1) + " (" + other.title + ")");
        }
      }
      if (column.is != ColumnIs::kTime) continue;
      ++times;
      if (!column.decimals) column.decimals = usual_;
      if (!column.decimals) {
        const std::string name = column.unit.empty() ? column.title : column.unit;
        Fail(line, i,
             Quoted(column.title) + " does not say its unit of time: " + name + "_ms or " + name +
                 "_us, or `tandem new profile --time-unit ms` for all");
      }
      if (!column.unit.empty()) table_.units.push_back(column.unit);
    }
    if (times == 0) throw InputError(name_ + ":" + std::to_string(line.number) + ": no column has times");
  }

  void ReadRow(const SeparatedLine& line) {
    if (line.fields.size() != columns_.size()) {
      throw InputError(name_ + ":" + std::to_string(line.number) + ": has " +
                       std::to_string(line.fields.size()) + " columns, the heading has " +
                       std::to_string(columns_.size()) +
                       (line.fields.size() > columns_.size() && text_.separator == ','
                            ? "; a number with a comma needs quotes and a point: 12.5"
                            : ""));
    }
    TableTime row;
    row.line = line.number;
    row.batch = defaults_.batch;
    row.variant.precision = defaults_.precision;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].is != ColumnIs::kTime) ReadFieldOfRow(line, i, row);
    }
    const std::size_t before = table_.times.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].is == ColumnIs::kTime) ReadTime(line, i, row);
    }
    if (table_.times.size() == before) {
      Fail(line, 0, "no unit has a time for " + Quoted(row.model) + "; take the line out, or fill it in");
    }
  }

  void ReadFieldOfRow(const SeparatedLine& line, std::size_t i, TableTime& row) {
    const std::string& field = line.fields[i];
    switch (columns_[i].is) {
      case ColumnIs::kModel:
        JudgeModel(line, i);
        row.model = field;
        break;
      case ColumnIs::kUnit:
        JudgeUnit(line, i);
        row.unit = field;
        break;
      case ColumnIs::kBatch:
        if (!field.empty()) row.batch = Count(line, i);
        break;
      case ColumnIs::kPrecision:
        if (!field.empty()) row.variant.precision = Precision(line, i);
        break;
      case ColumnIs::kVariant:
        row.variant.name = field;
        if (field.find('/') != field.npos) Fail(line, i, "the name of a variant must not hold \"/\"");
        break;
      case ColumnIs::kTime:
        break;
    }
  }

  void JudgeModel(const SeparatedLine& line, std::size_t i) {
    const std::string& model = line.fields[i];
    if (model.empty()) Fail(line, i, "the model is missing");
    auto& models = table_.models;
    if (std::find(models.begin(), models.end(), model) != models.end()) return;
    ImportOptions graph_alone;
    graph_alone.want_weights = false;
    try {
      (void)LoadModel(model, table_.file, graph_alone);
    } catch (const InputError& error) {
      const bool is_file = model.find_first_of("./") != model.npos;
      Fail(line, i,
           std::string(error.what()) +
               (is_file ? "" : "; a model of your own is named by its file, as it lies from here"));
    }
    models.push_back(model);
  }

  void JudgeUnit(const SeparatedLine& line, std::size_t i) {
    const std::string& unit = line.fields[i];
    if (unit.empty()) Fail(line, i, "the unit is missing");
    if (!defaults_.units.empty() && !IsUnitOfBoard(unit)) {
      Fail(line, i,
           "the board has no unit " + Quoted(unit) + Suggestion(unit, defaults_.units) + "; it has " +
               Joined(defaults_.units));
    }
    auto& units = table_.units;
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
  }

  std::int64_t Count(const SeparatedLine& line, std::size_t i) const {
    const std::string& field = line.fields[i];
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), count);
    if (error != std::errc() || end != field.data() + field.size() || count < 1 || count > 1'000'000) {
      Fail(line, i, Quoted(field) + " is not a batch: an integer from 1 to 1000000");
    }
    return count;
  }

  std::string Precision(const SeparatedLine& line, std::size_t i) const {
    const std::string word = Lower(line.fields[i]);
    std::vector<std::string> known;
    for (const auto& precision : kPrecisions) known.emplace_back(precision.name);
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      Fail(line, i, "unknown precision " + Quoted(line.fields[i]) + Suggestion(word, known));
    }
    return word;
  }

  void ReadTime(const SeparatedLine& line, std::size_t i, const TableTime& row) {
    const std::string& field = line.fields[i];
    const std::string lower = Lower(field);
    if (field.empty() || field == "-" || lower == "n/a" || lower == "na") return;
    TableTime time = row;
    if (!columns_[i].unit.empty()) time.unit = columns_[i].unit;
    time.time = TimeOf(line, i);
    const auto key = std::tuple(time.model, time.unit, time.batch, time.variant);
    const auto [known, is_new] = seen_.try_emplace(key, line.number);
    if (!is_new) {
      Fail(line, i,
           "model " + Quoted(time.model) + " has a time on unit " + Quoted(time.unit) + " in line " +
               std::to_string(known->second) +
               " already; columns batch, precision and variant tell them apart");
    }
    table_.times.push_back(std::move(time));
  }

  Nanos TimeOf(const SeparatedLine& line, std::size_t i) const {
    std::string number = line.fields[i];
    int decimals = *columns_[i].decimals;
    const std::size_t end = number.find_first_not_of("0123456789.,eE+-");
    if (end != std::string::npos) {
      const auto own = DecimalsOf(Trimmed(std::string_view(number).substr(end)));
      if (own) {
        decimals = *own;
        number = std::string(Trimmed(std::string_view(number).substr(0, end)));
      }
    }
    const bool point = number.find('.') != std::string::npos;
    if (text_.separator != ',' && !point) std::replace(number.begin(), number.end(), ',', '.');
    double value = 0;
    const char* const last = number.data() + number.size();
    const auto [stopped, error] = std::from_chars(number.data(), last, value);
    if (error != std::errc() || stopped != last || !std::isfinite(value)) {
      Fail(line, i,
           Quoted(line.fields[i]) +
               " is not a time; a number such as 12.5, or nothing where the unit does not run the "
               "model");
    }
    const auto nanos = RoundedDecimal(number, decimals);
    if (value <= 0 || !nanos || *nanos < 1 || Nanos{*nanos} > kLongestTime) {
      Fail(line, i, Quoted(line.fields[i]) + " is not a time of a model: above 0 and at most 104 days");
    }
    return Nanos{*nanos};
  }

  const TableDefaults& defaults_;
  SeparatedText text_;
  std::string name_;
  std::optional<int> usual_;
  bool a_time_a_row_ = false;
  std::vector<TimesColumn> columns_;
  std::map<std::tuple<std::string, std::string, std::int64_t, Variant>, std::size_t> seen_;
  TimesTable table_;
};

}  // namespace

std::vector<std::string> TimeUnits() {
  std::vector<std::string> words;
  for (const TimeUnit& unit : kTimeUnits) {
    if (words.size() < 4) words.emplace_back(unit.word);
  }
  return words;
}

TimesTable ReadTimesTable(const std::filesystem::path& file, const TableDefaults& defaults) {
  return TableReader(file, defaults).Take();
}

Profile ProfileOf(const TimesTable& table, const std::string& platform, const std::string& source,
                  const std::filesystem::path& output) {
  Profile profile;
  profile.file = output.string();
  profile.platform = platform;
  profile.origin.kind = OriginKind::kPublished;
  profile.origin.source =
      "the table " + BaseName(NameOfInput(table.file)) + (source.empty() ? "" : ": " + source);
  for (const TableTime& time : table.times) {
    CostEntry entry;
    entry.model = NameFrom(time.model, table.file, output);
    entry.unit = time.unit;
    entry.batch = time.batch;
    entry.variant = time.variant;
    entry.time.median = time.time;
    profile.entries.push_back(std::move(entry));
  }
  AddStructures(profile);
  return profile;
}

}  // namespace tandem
