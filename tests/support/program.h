// Runs the built program as a user would.
#pragma once

#include <cstddef>
#include <string>

namespace tandem {

struct ProgramResult {
  int status = 0;  // the exit status, or 128 + the signal that ended it
  std::string output, errors;
};

// A shell's command line, run with nothing on its standard input.
ProgramResult RunShell(const std::string& command);
// Of what it printed, in bytes.
std::size_t WidestLine(const std::string& text);

#ifdef TANDEM_PROGRAM
// The program under test with `arguments` as a shell takes them.
inline ProgramResult RunTandem(const std::string& arguments) {
  return RunShell(TANDEM_PROGRAM " " + arguments);
}
#endif

}  // namespace tandem
