#include "profiles/program/command_given.h"

#include <unistd.h>

#include <climits>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tandem {
namespace {

// As a shell takes it.
std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

// Of the program that was called by a path; of one that the shell found its name.
std::string PathOf(const std::string& name, std::string_view called) {
  char path[PATH_MAX];
  const ssize_t length =
      called.find('/') == called.npos ? -1 : ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : name;
}

struct Given {
  CommandFacts program;
  std::string version, place, line;
  std::function<std::string()> runs_with;
};
Given& WhatIsGiven() {
  static Given given;
  return given;
}

}  // namespace

void NoteCommand(const ProgramFacts& program, int argc, const char* const* argv) {
  Given& given = WhatIsGiven();
  given.line = program.name;
  for (int word = 1; word < argc; ++word) given.line += " " + ShellWord(argv[word]);
  given.version = program.name + " " + program.version;
  given.runs_with = program.runs_with;
  given.place = ShellWord(PathOf(program.name, argv[0]));
}

void NoteCommands(CommandFacts program) { WhatIsGiven().program = std::move(program); }

std::string CommandAsGiven() { return WhatIsGiven().line; }
const CommandFacts& ThisProgram() { return WhatIsGiven().program; }
std::string ThisVersion() {
  const Given& given = WhatIsGiven();
  return given.version + (given.runs_with ? " (" + given.runs_with() + ")" : "");
}
const std::string& WhereProgramLies() { return WhatIsGiven().place; }

}  // namespace tandem
