#include "profiles/program/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "profiles/base/check.h"
#include "profiles/base/json_write.h"
#include "profiles/base/printable.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/program/command_completion.h"
#include "profiles/program/command_facts.h"
#include "profiles/program/command_given.h"
#include "profiles/program/command_habits.h"

namespace tandem {
namespace {

constexpr std::string_view kProgram = "{program}";
constexpr const char* kPositive = "POSITIVE";

// Those whose values are names and files.
std::set<const CLI::Option*>& TextOptions() {
  static std::set<const CLI::Option*> options;
  return options;
}

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

constexpr const char* kEverywhere = "every command";

void AddHabits(CLI::App& app, Habits& habits) {
  app.add_flag("--wide", habits.wide, "tables as wide as their names: none is cut or goes on below")
      ->group(kEverywhere);
  app.add_flag("-q,--quiet", habits.quiet, "no progress and no notes on standard error; errors are told")
      ->group(kEverywhere);
  CLI::Option* const color =
      app.add_option("--color", habits.color, "auto: on a terminal, where NO_COLOR is not set")
          ->group(kEverywhere);
  Command::Option(color).OneOf({"auto", "always", "never"});
}

// What the one that is named does is left in `action`.
void AddCommands(CLI::App& program, Action& action, Habits& habits) {
  std::map<std::string, CLI::App*> by_name = {{"", &program}};
  for (const RegisteredCommand& registered : InOrder()) {
    const auto [group, name] = GroupAndName(registered.place.name);
    TANDEM_CHECK(by_name.count(group) == 1, "a command's group is a command");
    CLI::App* app = by_name[group]->add_subcommand(name, registered.place.summary);
    if (!registered.place.also.empty()) app->alias(registered.place.also);
    by_name[registered.place.name] = app;
    Command command(app);
    if (const Action does = registered.declare(command)) {
      AddHabits(*app, habits);
      // A group that does something itself is asked after the command in it that was named.
      app->callback([&action, does] {
        if (!action) action = does;
      });
    }
  }
}

// The words that an option takes and nothing else.
std::map<const CLI::Option*, std::vector<std::string>>& WordsOfOptions() {
  static std::map<const CLI::Option*, std::vector<std::string>> words;
  return words;
}

// What options say that they take, in words of their own that may have colons.
std::map<const CLI::Option*, std::string>& ShownOfOptions() {
  static std::map<const CLI::Option*, std::string> shown;
  return shown;
}

// Of "INT:INT in [1 - 20]", the parser's type and its checks, what says most.
std::string TakenBy(const CLI::Option& option, const std::vector<std::string>& words) {
  if (!words.empty()) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "{" : ",") + word;
    return all + "}";
  }
  const std::string type = option.get_type_name();
  const auto shown = ShownOfOptions().find(&option);
  const std::size_t colon = type.find(':', shown == ShownOfOptions().end() ? 0 : shown->second.size());
  if (colon == std::string::npos) return type;
  const std::string name = type.substr(0, colon), check = type.substr(colon + 1);
  const std::size_t range = check.find(" in ");
  if (range != std::string::npos) return name + check.substr(range);
  return name + (check == kPositive ? " above 0" : " " + check);
}

OptionFacts FactsOf(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  facts.by_position = facts.names.empty();
  if (facts.by_position) facts.names.push_back(option.get_name(true));
  const auto words = WordsOfOptions().find(&option);
  if (words != WordsOfOptions().end()) facts.words = words->second;
  const bool is_flag = option.get_items_expected_max() == 0;
  if (!is_flag) facts.takes = TakenBy(option, facts.words);
  facts.takes_text = TextOptions().count(&option) == 1;
  for (const CLI::Option* other : option.get_excludes()) facts.excludes.push_back(other->get_name());
  std::sort(facts.excludes.begin(), facts.excludes.end());
  facts.help = option.get_description();
  facts.needed = option.get_required();
  facts.several = option.get_items_expected_max() > 1;
  facts.everywhere = option.get_group() == kEverywhere;
  return facts;
}

CommandFacts FactsOf(const CLI::App& app, const std::string& outer) {
  CommandFacts facts;
  facts.name = app.get_name();
  facts.full_name = outer + (outer.empty() ? "" : " ") + facts.name;
  facts.summary = app.get_description();
  const std::string program = facts.full_name.substr(0, facts.full_name.find(' '));
  std::string footer = app.get_footer();
  for (std::size_t at = 0; (at = footer.find(kProgram)) != std::string::npos;) {
    footer.replace(at, kProgram.size(), program);
  }
  TakeFooter(footer, facts);
  for (const CLI::Option* option : app.get_options()) facts.options.push_back(FactsOf(*option));
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
    facts.commands.push_back(FactsOf(*inner, facts.full_name));
  }
  return facts;
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

// Of the command that the line names.
std::string HelpOf(const CLI::App& app) {
  const CommandFacts* command = &ThisProgram();
  for (const CLI::App* named = &app; !named->get_subcommands().empty();) {
    named = named->get_subcommands().back();
    command = command->Find(named->get_name());
  }
  return HelpText(*command, OutputWidth());
}

int AnswerToParser(const CLI::App& app, const CLI::ParseError& end) {
  if (end.get_exit_code() == 0) {  // --help, --version
    WriteOutput(end.get_name() == "CallForVersion" ? std::string(end.what()) + "\n" : HelpOf(app));
    return kExitDone;
  }
  const CLI::App& named = Deepest(app);
  const std::string name = FullName(named);
  WriteError(name + ": " + Explain(named, end.what()) + "\nRun `" + name + " --help` for its usage.\n");
  return kExitBadInput;
}

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

constexpr std::string_view kFooter =
    "`{program} COMMAND --help` shows a command's options and examples.\n"
    "Exit status: 0 done, 1 the answer is no, 2 the input is wrong, 3 the device or the environment failed, "
    "130 Ctrl-C or another signal ended it.\n";

// "__complete": a shell asks what may stand where its line goes on.
int Complete(const std::vector<std::string>& words) {
  std::string text;
  for (const Offered& candidate : WhatMayFollow(ThisProgram(), words)) {
    text += candidate.word + "\t" + PrintableLine(candidate.about) + "\n";
  }
  WriteOutput(text);
  return kExitDone;
}

int ParseAndRun(const ProgramFacts& program, int argc, const char* const* argv) {
  CLI::App app(program.summary, program.name);
  app.set_version_flag("--version", ThisVersion);
  app.footer(std::string(kFooter) + program.footer);
  app.require_subcommand(0, 1);  // what follows a command may be called as another one: `tandem schema plan`
  WordsOfOptions().clear();
  TextOptions().clear();
  ShownOfOptions().clear();
  Action action;
  Habits habits;
  AddCommands(app, action, habits);
  NoteCommands(FactsOf(app, ""));
  if (argc > 1 && argv[1] == std::string_view("__complete")) {
    return Complete(std::vector<std::string>(argv + 2, argv + argc));
  }
  try {
    const std::vector<std::string> words = WordsOf(argc, argv);
    std::vector<const char*> line;
    for (const std::string& word : words) line.push_back(word.c_str());
    app.parse(static_cast<int>(line.size()), line.data());
  } catch (const CLI::ParseError& end) {
    return AnswerToParser(app, end);
  }
  if (action) {
    const InHabits in(habits);
    return action();
  }
  WriteError(HelpOf(app));
  return kExitBadInput;
}

}  // namespace

using Option = Command::Option;

Option Option::Required() { return Option(option_->required()); }
Option Option::Shown(std::string type) {
  ShownOfOptions()[option_] = type;
  return Option(option_->type_name(std::move(type)));
}
Option Option::OneOf(std::vector<std::string> words) {
  WordsOfOptions()[option_] = words;
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
  return Option(option_->check(judge, kPositive));
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
  if (words) {
    TextOptions().insert(option);
    option->check(JudgeWord);
  }
  return Option(option);
}

Command::Option Command::Flag(const std::string& names, bool* into, std::string help) {
  return Option(app_->add_flag(names, *into, std::move(help)));
}

Command::Option Command::Force(bool* into) {
  return Flag("--force", into, "replace files that hold measurements, or something else than is written");
}

Command::Option Command::AllowCommands(bool* into) {
  return Flag("--allow-commands", into,
              "start the programs that files name: units' own, those beside a run, those of clock states");
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

int RunProgram(const ProgramFacts& program, int argc, const char* const* argv) {
  NoteCommand(program, argc, argv);
  return RunGuarded(program.name, [&] { return ParseAndRun(program, argc, argv); });
}

}  // namespace tandem
