// How long kernels are chosen by trials, and where what was chosen is shared: of the commands that choose
// some.
#pragma once

#include "device/study/trial_arguments.h"
#include "profiles/program/command_line.h"

namespace tandem {

// --add-kernels, for what excludes it.
inline Command::Option AddTrialOptions(Command& command, TrialArguments& trials) {
  constexpr double kMostSeconds = 1e5;
  command
      .Add("--trials", &trials.most_s,
           "seconds that trials of one model's kernels take at most on a card, else 60; goes on where they "
           "were cut short before")
      .Shown("S")
      .RealRange(0, kMostSeconds);
  return command
      .Add("--add-kernels", &trials.store,
           "take kernels from this profile, if it is there, and add to it what is chosen anew")
      .Shown("PROFILE");
}

}  // namespace tandem
