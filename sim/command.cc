#include "sim/command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "profiles/program.h"
#include "profiles/suggest.h"

namespace tandem {
namespace {

// The subcommand that was named last: it is the one to explain.
const CLI::App& Deepest(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : Deepest(*parsed.back());
}

std::string FullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : FullName(*parent) + " " + app.get_name();
}

std::vector<std::string> Words(const CLI::App& app, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      words.push_back(command->get_name());
    }
  }
  return words;
}

// A word that nothing takes explains more than the parser's own message, which then often speaks of what is
// missing because of it.
std::string Explain(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = command.remaining();
  for (const std::string& word : unknown) {
    if (word.size() > 1 && word[0] == '-') {
      return "unknown option " + Quoted(word) + Suggestion(word, Words(command, true));
    }
  }
  if (unknown.empty()) return error.what();
  const std::vector<std::string> commands = Words(command, false);
  if (commands.empty()) return "unexpected argument " + Quoted(unknown[0]);
  return "unknown command " + Quoted(unknown[0]) + Suggestion(unknown[0], commands);
}

void WriteError(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

int RunCommandLine(CLI::App& app, const Action& action, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&wanted) != nullptr;
    WriteOutput(version ? std::string(wanted.what()) + "\n" : app.help());
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = Deepest(app);
    const std::string name = FullName(command);
    WriteError(name + ": " + Explain(command, error) + "\n" + "Run `" + name + " --help` for its usage.\n");
    return kExitBadInput;
  }
  if (!action) {
    WriteError(app.help());
    return kExitBadInput;
  }
  return action();
}

}  // namespace tandem
