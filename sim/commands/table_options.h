// --table and what a table of times does not say itself.
#pragma once

#include <string>
#include <vector>

#include "profiles/dumps/times_table.h"
#include "profiles/program/command_line.h"

namespace tandem {

struct TableOptions {
  std::string file, time_unit, precision = "fp32", source;
  std::int64_t batch = 1;
};

inline Command::Option AddTableOptions(
    Command& command, TableOptions& options,
    const char* batch = "inferences of one time, where it does not say it (1)") {
  const auto table =
      command.Add("--table", &options.file, "times of whole models on units (CSV); \"-\": standard input")
          .Shown("FILE");
  command.Add("--time-unit", &options.time_unit, "of the table's times, where its heading does not say it")
      .OneOf(TimeUnits());
  command.Add("--precision", &options.precision, "of the table's times, where it does not say it (fp32)");
  command.Add("--batch", &options.batch, batch).Range(1, 1'000'000);
  command.Add("--source", &options.source, "where the times are from: board, clocks, libraries, date")
      .Shown("WORDS");
  return table;
}

// `units`: of the board; none: whatever the table calls one.
inline TimesTable ReadTable(const TableOptions& options, std::vector<std::string> units) {
  return ReadTimesTable(options.file,
                        {std::move(units), options.time_unit, options.precision, options.batch});
}

}  // namespace tandem
