// The option --interval of the commands that predict.
#pragma once

#include "profiles/program/command_line.h"

namespace tandem {

// `percent`: 90 where nobody says it.
inline Command::Option AddInterval(Command& command, double& percent) {
  return command.Add("--interval", &percent, "probability of all intervals in percent (90)")
      .RealRange(50.0, 99.9);
}

}  // namespace tandem
