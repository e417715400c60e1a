// --html of every command that makes results.
#pragma once

#include <string>

#include "profiles/program/command_line.h"
#include "sim/study/page_of.h"

namespace tandem {

inline Command::Option AddHtml(Command& command, std::string& file) {
  return command.Add("--html", &file, "write the result to this file as a page of HTML that needs nothing else");
}

}  // namespace tandem
