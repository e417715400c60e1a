// Times of whole models from a table that somebody has: models by units, or a time a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/time.h"
#include "profiles/costs/profile.h"

namespace tandem {

struct TableTime {
  std::string model;  // as the table has it: a zoo name, or a file beside the table
  std::string unit;
  std::int64_t batch = 1;
  Variant variant;
  Nanos time{0};
  std::size_t line = 0;
};

struct TimesTable {
  std::string file;
  std::vector<std::string> models, units;  // in the order of the table
  std::vector<TableTime> times;
};

// What the table does not say itself.
struct TableDefaults {
  std::vector<std::string> units;  // of the board; empty: whatever the table calls one
  std::string time_unit;           // "ms"; empty: the heading has it
  std::string precision = "fp32";
  std::int64_t batch = 1;
};

// Text with a heading, separated by commas, semicolons or tabs. Either a row a model and a column a unit, an
// empty cell where the unit does not run the model; or a row a time, with the columns model, unit and a time.
// The columns batch, precision and variant may be in both. The heading says the unit of time: "cpu_ms",
// "time (us)", "model [ms]". Throws InputError with line and column.
TimesTable ReadTimesTable(const std::filesystem::path& file, const TableDefaults& defaults);

// The words for units of time: "ns", "us", "ms", "s".
std::vector<std::string> TimeUnits();

// The profile of these times for the board `platform`, as it will be named in the file `output`.
Profile ProfileOf(const TimesTable& table, const std::string& platform, const std::string& source,
                  const std::filesystem::path& output);

}  // namespace tandem
