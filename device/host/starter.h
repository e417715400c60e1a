// Who started this program, with a socket for its standard output: lines go there, and come from there
// (device/host/child_program.h is the other end).
#pragma once

#include <string>

namespace tandem {

void TellStarter(const std::string& line);
std::string HearStarter();  // empty: there is nobody any more

}  // namespace tandem
