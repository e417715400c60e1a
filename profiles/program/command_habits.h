// What every command takes beside its own: --wide, --quiet, --color.
#pragma once

#include <string>

#include "profiles/base/table.h"

namespace tandem {

struct Habits {
  bool wide = false, quiet = false;
  std::string color = "auto";
};

// While it lives, tables, notes and colours are as the line says.
class InHabits {
 public:
  explicit InHabits(const Habits& habits);
  ~InHabits();
  InHabits(const InHabits&) = delete;
  InHabits& operator=(const InHabits&) = delete;

 private:
  TablesCut cut_;
  bool quiet_, colors_;
};

}  // namespace tandem
