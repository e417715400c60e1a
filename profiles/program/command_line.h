// The command lines of both programs. A command is one file: it says what it takes, and what is done then,
// and registers itself. How lines are parsed is this file's affair alone: nobody else knows CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profiles/program/program.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tandem {

// What one command takes. Names: "--json" and "-o,--output" are options, "FILE" is an argument by its
// position. A text that is empty is refused.
class Command {
 public:
  // Where the value goes; a vector takes several.
  using Target =
      std::variant<std::string*, std::int64_t*, std::uint64_t*, double*, std::optional<std::uint64_t>*,
                   std::vector<std::string>*, std::vector<std::int64_t>*>;

  // One of them, and what its values may be.
  class Option {
   public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option Required();
    Option Shown(std::string type);                // in the help, instead of TEXT or INT
    Option OneOf(std::vector<std::string> words);  // and nothing else
    Option Range(std::int64_t least, std::int64_t most);
    Option RealRange(double least, double most);
    Option Positive(double most);      // above 0
    Option Separated(char separator);  // several values in one word: "0,1"
    Option OneWord();                  // the words after the first are not its values
    Option Excludes(const std::vector<Option>& others);

   private:
    CLI::Option* option_;
  };

  explicit Command(CLI::App* app) : app_(app) {}
  Option Add(const std::string& names, Target into, std::string help);
  Option Flag(const std::string& names, bool* into, std::string help);
  Option Force(bool* into);  // --force, of every command that writes files (profiles/program/outputs.h)
  Option AllowCommands(bool* into);  // --allow-commands, of those by which files may have programs started
  // Below the options in the help: what to know, then "Examples:" and a command in each line. "{program}"
  // stands for the program's name.
  void Footer(std::string text);

 private:
  CLI::App* app_;
};

using Action = std::function<int()>;  // returns the exit status, throws InputError or EnvironmentError

struct CommandPlace {
  std::string name;       // "check", or in the group "models" "models show"
  std::string summary;    // its line in the list of commands
  int order = 1000;       // in that list, and by name where it is the same
  std::string also = {};  // the last word of its name said otherwise
};

// At namespace scope of the command's file.
struct CommandRegistration {
  // `options` declares what goes into the arguments, `run` gets them once the line is understood.
  template <class Arguments, class Run>
  CommandRegistration(CommandPlace place, void (*options)(Command&, Arguments&), Run run)
      : CommandRegistration(std::move(place), [options, run](Command& command) -> Action {
          const auto arguments = std::make_shared<Arguments>();
          options(command, *arguments);
          return [arguments, run] { return run(*arguments); };
        }) {}
  // Of a group, which does nothing itself.
  CommandRegistration(CommandPlace place, std::string footer);

 private:
  CommandRegistration(CommandPlace place, std::function<Action(Command&)> declare);
};

struct ProgramFacts {
  std::string name, summary;
  std::string version;                          // as --version says it, after the name
  std::string footer = {};                      // examples, as Command::Footer has them
  std::function<std::string()> runs_with = {};  // beside its version, asked only where that is wanted
};

// main: parses the command line by the commands that are registered, runs the one that is named and returns
// the exit status. A usage error is two lines: what is wrong, with "did you mean" where a word is misspelt,
// and where to find the usage.
int RunProgram(const ProgramFacts& program, int argc, const char* const* argv);
// What it was given, as a shell takes it: "tandem simulate study-003 --html page.html". Empty before.
std::string CommandAsGiven();

}  // namespace tandem
