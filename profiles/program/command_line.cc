#include "profiles/program/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>

#include "profiles/base/check.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

struct RegisteredCommand {
  CommandPlace place;
  std::function<Action(Command&)> declare;
};

std::vector<RegisteredCommand>& Registry() {
  static std::vector<RegisteredCommand> commands;
  return commands;
}

// "models show" is `show` in the group "models", "models" in the program itself, whose name is empty.
std::pair<std::string, std::string> GroupAndName(const std::string& name) {
  const std::size_t space = name.rfind(' ');
  if (space == std::string::npos) return {"", name};
  return {name.substr(0, space), name.substr(space + 1)};
}

// Groups before what is in them.
std::vector<RegisteredCommand> InOrder() {
  std::vector<RegisteredCommand> commands = Registry();
  const auto rank = [](const RegisteredCommand& command) {
    const std::string& name = command.place.name;
    return std::tuple(std::count(name.begin(), name.end(), ' '), command.place.order, name);
  };
  std::sort(commands.begin(), commands.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return commands;
}

// What the one that is named does is left in `action`.
void AddCommands(CLI::App& program, Action& action, bool& wide) {
  std::map<std::string, CLI::App*> by_name = {{"", &program}};
  for (const RegisteredCommand& registered : InOrder()) {
    const auto [group, name] = GroupAndName(registered.place.name);
    TANDEM_CHECK(by_name.count(group) == 1, "a command's group is a command");
    CLI::App* app = by_name[group]->add_subcommand(name, registered.place.summary);
    by_name[registered.place.name] = app;
    Command command(app);
    if (const Action does = registered.declare(command)) {
      app->add_flag("--wide", wide,
                    "cut no names to the terminal's width; nothing is cut in files and pipes");
      // A group that does something itself is asked after the command in it that was named.
      app->callback([&action, does] {
        if (!action) action = does;
      });
    }
  }
}

const CLI::App& Deepest(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : Deepest(*parsed.back());
}

std::string FullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : FullName(*parent) + " " + app.get_name();
}

// What the command knows.
std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}
std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// A word that nothing takes explains more than the parser's own message, which then often speaks of what is
// missing because of it.
std::string Explain(const CLI::App& app, const std::string& parsers_message) {
  const std::vector<std::string> unknown = app.remaining();
  for (const std::string& word : unknown) {
    if (word.size() > 1 && word[0] == '-') {
      return "unknown option " + Quoted(word) + Suggestion(word, OptionsOf(app));
    }
  }
  if (unknown.empty()) return parsers_message;
  const std::string& word = unknown[0];
  const std::vector<std::string> commands = CommandsOf(app);
  if (commands.empty()) return "unexpected argument " + Quoted(word);
  return "unknown command " + Quoted(word) + Suggestion(word, commands);
}

int AnswerToParser(const CLI::App& app, const CLI::ParseError& end) {
  if (end.get_exit_code() == 0) {  // --help, --version
    WriteOutput(end.get_name() == "CallForVersion" ? std::string(end.what()) + "\n" : app.help());
    return kExitDone;
  }
  const CLI::App& named = Deepest(app);
  const std::string name = FullName(named);
  WriteError(name + ": " + Explain(named, end.what()) + "\nRun `" + name + " --help` for its usage.\n");
  return kExitBadInput;
}

// While it lives, tables are cut or not.
class TablesCut {
 public:
  explicit TablesCut(bool cut) : before_(LetTablesCut(cut)) {}
  ~TablesCut() { LetTablesCut(before_); }
  TablesCut(const TablesCut&) = delete;
  TablesCut& operator=(const TablesCut&) = delete;

 private:
  bool before_;
};

// NaN where it is none.
double NumberOf(const std::string& word) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, value);
  return error == std::errc() && stopped == end ? value : std::numeric_limits<double>::quiet_NaN();
}

// CLI11 would take -1 for 2^64 - 1, and what is too large for that too.
std::string JudgeUnsigned(const std::string& word) {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc() && stopped == end) return "";
  return "Value " + word + " is not an integer from 0 to " +
         std::to_string(std::numeric_limits<std::uint64_t>::max());
}

// What a script's variable that is not set leaves: neither a file nor a name.
std::string JudgeWord(const std::string& word) { return word.empty() ? "Value is empty" : ""; }

// "--trace=" names an empty value, where CLI11 would take the next word, whatever it is.
std::vector<std::string> WordsOf(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    words.emplace_back(argv[i]);
    if (!words.back().starts_with("--") || !words.back().ends_with('=')) continue;
    words.back().pop_back();
    words.emplace_back();
  }
  return words;
}

int ParseAndRun(const ProgramFacts& program, int argc, const char* const* argv) {
  CLI::App app(program.summary, program.name);
  app.set_version_flag("--version", program.name + " " + program.version);
  app.footer("`" + program.name +
             " COMMAND --help` shows a command's options and examples.\n"
             "Exit status: 0 done, 1 the answer is no, 2 the input is wrong, 3 the device or the environment "
             "failed,\n130 Ctrl-C or another signal ended it.");
  app.require_subcommand(0, 1);  // what follows a command may be called as another one: `tandem schema plan`
  Action action;
  bool wide = false;
  AddCommands(app, action, wide);
  try {
    const std::vector<std::string> words = WordsOf(argc, argv);
    std::vector<const char*> line;
    for (const std::string& word : words) line.push_back(word.c_str());
    app.parse(static_cast<int>(line.size()), line.data());
  } catch (const CLI::ParseError& end) {
    return AnswerToParser(app, end);
  }
  if (action) {
    const TablesCut cut(OutputIsNarrow() && !wide);
    return action();
  }
  WriteError(app.help());
  return kExitBadInput;
}

// As a shell takes it.
std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

std::string& GivenCommand() {
  static std::string command;
  return command;
}

}  // namespace

using Option = Command::Option;

Option Option::Required() { return Option(option_->required()); }
Option Option::Shown(std::string type) { return Option(option_->type_name(std::move(type))); }
Option Option::OneOf(std::vector<std::string> words) {
  return Option(option_->check(CLI::IsMember(std::move(words))));
}
Option Option::Range(std::int64_t least, std::int64_t most) {
  return Option(option_->check(CLI::Range(least, most)));
}
// CLI11 takes "nan" for a number within any range, and tells the largest double with 309 digits.
Option Option::RealRange(double least, double most) {
  const std::string bounds = JsonNumber(least) + " to " + JsonNumber(most);
  const auto judge = [=](const std::string& word) {
    const double value = NumberOf(word);
    return value >= least && value <= most ? "" : "Value " + word + " not in range " + bounds;
  };
  return Option(option_->check(judge, "FLOAT in [" + JsonNumber(least) + " - " + JsonNumber(most) + "]"));
}
Option Option::Positive(double most) {
  const auto judge = [=](const std::string& word) {
    const double value = NumberOf(word);
    return value > 0 && value <= most
               ? ""
               : "Value " + word + " is not a number above 0 and at most " + JsonNumber(most);
  };
  return Option(option_->check(judge, "POSITIVE"));
}
Option Option::Separated(char separator) { return Option(option_->delimiter(separator)); }
Option Option::OneWord() { return Option(option_->allow_extra_args(false)); }
Option Option::Excludes(const std::vector<Option>& others) {
  for (const Option& other : others) option_->excludes(other.option_);
  return *this;
}

Option Command::Add(const std::string& names, Target into, std::string help) {
  const auto add = [&](auto* value) { return app_->add_option(names, *value, std::move(help)); };
  CLI::Option* const option = std::visit(add, into);
  const bool counts = std::holds_alternative<std::uint64_t*>(into) ||
                      std::holds_alternative<std::optional<std::uint64_t>*>(into);
  if (counts) option->check(JudgeUnsigned);
  const bool words =
      std::holds_alternative<std::string*>(into) || std::holds_alternative<std::vector<std::string>*>(into);
  if (words) option->check(JudgeWord);
  return Option(option);
}

Command::Option Command::Flag(const std::string& names, bool* into, std::string help) {
  return Option(app_->add_flag(names, *into, std::move(help)));
}

Command::Option Command::Force(bool* into) {
  return Flag("--force", into, "replace files that hold measurements, or something else than is written");
}

void Command::Footer(std::string text) { app_->footer(std::move(text)); }

CommandRegistration::CommandRegistration(CommandPlace place, std::function<Action(Command&)> declare) {
  Registry().push_back({std::move(place), std::move(declare)});
}

CommandRegistration::CommandRegistration(CommandPlace place, std::string footer)
    : CommandRegistration(std::move(place), [footer = std::move(footer)](Command& command) -> Action {
        command.Footer(footer);
        return nullptr;
      }) {}

std::string CommandAsGiven() { return GivenCommand(); }

int RunProgram(const ProgramFacts& program, int argc, const char* const* argv) {
  GivenCommand() = program.name;
  for (int word = 1; word < argc; ++word) GivenCommand() += " " + ShellWord(argv[word]);
  return RunGuarded(program.name, [&] { return ParseAndRun(program, argc, argv); });
}

}  // namespace tandem
