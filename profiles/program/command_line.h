// How both programs take their command lines. Only the folders of the programs know CLI11: what is written
// here takes its classes as template parameters.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/program/program.h"

namespace tandem {

using Action = std::function<int()>;  // returns the exit status, throws InputError or EnvironmentError

// What the command that was named last knows, and the words that nothing took.
struct CommandWords {
  std::string command;  // "tandem models show"
  std::vector<std::string> options, commands, unknown;
};

// Two lines: what is wrong, with "did you mean" where a word is misspelt, and where to find the usage. A word
// that nothing takes explains more than the parser's own message, which then often speaks of what is missing
// because of it.
std::string UsageError(const CommandWords& words, std::string_view parsers_message);

void WriteError(std::string_view text);  // to standard error

template <class App>
const App& Deepest(const App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : Deepest(*parsed.back());
}

template <class App>
std::string FullName(const App& app) {
  const App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : FullName(*parent) + " " + app.get_name();
}

template <class App>
CommandWords WordsOf(const App& app) {
  CommandWords words;
  words.command = FullName(app);
  words.unknown = app.remaining();
  for (const auto* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.options.push_back("--" + name);
  }
  for (const App* command : app.get_subcommands([](const App*) { return true; })) {
    words.commands.push_back(command->get_name());
  }
  return words;
}

// Parses the command line and runs the action that its subcommand left in `action`. ParseError is CLI11's.
template <class ParseError, class App>
int RunCommandLine(App& app, const Action& action, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const ParseError& end) {
    if (end.get_exit_code() == 0) {  // --help, --version
      WriteOutput(end.get_name() == "CallForVersion" ? std::string(end.what()) + "\n" : app.help());
      return kExitDone;
    }
    WriteError(UsageError(WordsOf(Deepest(app)), end.what()));
    return kExitBadInput;
  }
  if (action) return action();
  WriteError(app.help());
  return kExitBadInput;
}

}  // namespace tandem
