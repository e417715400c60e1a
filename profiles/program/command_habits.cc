#include "profiles/program/command_habits.h"

#include "profiles/program/color.h"
#include "profiles/program/program.h"

namespace tandem {

InHabits::InHabits(const Habits& habits)
    : cut_(LetTablesCut(habits.wide        ? TablesCut::kNever
                        : OutputIsNarrow() ? TablesCut::kNames
                                           : TablesCut::kGoOnBelow)),
      quiet_(BeQuiet(habits.quiet)),
      colors_(ShowColors(ColorsWanted(habits.color))) {}

InHabits::~InHabits() {
  LetTablesCut(cut_);
  BeQuiet(quiet_);
  ShowColors(colors_);
}

}  // namespace tandem
