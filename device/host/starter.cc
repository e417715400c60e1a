#include "device/host/starter.h"

#include <unistd.h>

#include "profiles/program/program.h"

namespace tandem {

void TellStarter(const std::string& line) { WriteBytes(line + "\n"); }

std::string HearStarter() {
  std::string line;
  for (char letter = 0; ::read(STDOUT_FILENO, &letter, 1) == 1;) {
    if (letter == '\n') return line;
    line += letter;
  }
  return {};
}

}  // namespace tandem
