// --html of every command that makes results.
#pragma once

#include <string>
#include <utility>

#include "profiles/base/files.h"
#include "profiles/program/command_line.h"
#include "sim/study/page_of.h"

namespace tandem {

inline Command::Option AddHtml(Command& command, std::string& file) {
  return command.Add("--html", &file,
                     "write the result to this file as a page of HTML that needs nothing else");
}

inline Output HtmlOutput(const std::string& file) { return {"--html", file, kHtmlPage}; }

// Where it is asked for.
inline void WriteHtml(const std::string& file, const Page& page) {
  if (!file.empty()) WriteFile(file, PageHtml(page));
}

}  // namespace tandem
