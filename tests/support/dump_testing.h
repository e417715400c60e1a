// What the tests of timing dumps share: a dump from text, and a check that no damaged dump does worse than
// throw InputError.
#pragma once

#include <stdexcept>
#include <string>

#include "profiles/dumps/dump.h"
#include "tests/support/error_of.h"

namespace tandem {

// Messages call the file "dump".
inline ProfileDump DumpOf(const std::string& text, const std::string& format = {}) {
  return ParseProfileDump(text, "dump", format);
}

inline std::string DumpError(const std::string& text, const std::string& format = {}) {
  return ErrorOf([&] { DumpOf(text, format); });
}

inline const DumpRow& RowNamed(const ProfileDump& dump, const std::string& name) {
  for (const DumpRow& row : dump.rows) {
    if (row.name == name) return row;
  }
  throw std::runtime_error("no row " + name);
}

// Cut short at every place, and with every byte replaced in turn.
inline void ExpectNoDamageCrashes(const std::string& text, const std::string& format) {
  const auto read = [&](const std::string& damaged) { ErrorOf([&] { DumpOf(damaged, format); }); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    read(text.substr(0, i));
    for (const char byte : {'\0', '"', ';', '9', '\n', '\xff'}) {
      std::string damaged = text;
      damaged[i] = byte;
      read(damaged);
    }
  }
}

}  // namespace tandem
