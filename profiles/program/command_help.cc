#include <algorithm>

#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "profiles/program/command_facts.h"

namespace tandem {
namespace {

constexpr std::size_t kHelpIndent = 30, kNarrow = 60, kNarrowIndent = 6;

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool EndsSentence(const std::string& line) { return line.ends_with('.') || line.ends_with(':'); }

// A long list of words goes on below.
std::string CallText(std::string call, std::size_t width) {
  std::string text, line = "  ";
  while (line.size() + call.size() > width) {
    const std::size_t comma = call.rfind(',', width - line.size() - 1);
    if (comma == std::string::npos) break;
    text += line + call.substr(0, comma + 1) + "\n";
    call.erase(0, comma + 1);
    line = std::string(kNarrowIndent, ' ');
  }
  return text + line + call;
}

std::string Beside(const std::string& call, const std::string& help, std::size_t width) {
  const std::size_t indent = width < kNarrow ? kNarrowIndent : kHelpIndent;
  std::string text = CallText(call, width);
  if (help.empty()) return text + "\n";
  const bool fits = text.size() + 2 <= indent;
  text += fits ? std::string(indent - text.size(), ' ') : "\n" + std::string(indent, ' ');
  bool first = true;
  for (const std::string& line : Broken(help, width > indent ? width - indent : 1)) {
    if (!first) text += std::string(indent, ' ');
    first = false;
    text += line + "\n";
  }
  return text;
}

std::string WithExclusions(const OptionFacts& option) {
  if (option.excludes.empty()) return option.help;
  return option.help + "; not with " + Joined(option.excludes);
}

template <class Wanted>
std::string OptionsText(const CommandFacts& command, const std::string& title, std::size_t width,
                        Wanted wanted) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    if (wanted(option)) text += Beside(CallOf(option), WithExclusions(option), width);
  }
  return text.empty() ? "" : "\n" + title + ":\n" + text;
}

// Where a line may go on below: at blanks outside quotes.
std::vector<std::string> PiecesOf(const std::string& line) {
  std::vector<std::string> pieces(1);
  char quote = 0;
  for (const char c : line) {
    if (c == '\'' || c == '"') quote = quote == 0 ? c : quote == c ? char{0} : quote;
    if (c == ' ' && quote == 0) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

std::string ExampleText(const std::string& example, std::size_t width) {
  constexpr std::size_t kGoesOn = 2;  // " \"
  std::string text, line = " ";
  for (const std::string& piece : PiecesOf(example)) {
    if (line.size() > 6 && line.size() + 1 + piece.size() + kGoesOn > width) {
      text += line + " \\\n";
      line = "     ";
    }
    line += " " + piece;
  }
  return text + line + "\n";
}

}  // namespace

const CommandFacts* CommandFacts::Find(std::string_view command) const {
  for (const CommandFacts& known : commands) {
    if (known.name == command) return &known;
  }
  return nullptr;
}

void TakeFooter(std::string_view footer, CommandFacts& command) {
  bool examples = false, goes_on = false;
  for (const std::string& line : LinesOf(footer)) {
    if (line == "Example:" || line == "Examples:") {
      examples = true;
    } else if (examples) {
      command.examples.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    } else if (goes_on && !line.starts_with(' ')) {
      command.notes.back() += " " + line;
      goes_on = !EndsSentence(line);
    } else {
      command.notes.push_back(line);
      goes_on = !line.starts_with(' ') && !EndsSentence(line);
    }
  }
}

std::string CallOf(const OptionFacts& option) {
  std::string call = Joined(option.names, ",");
  if (!option.takes.empty()) call += " " + option.takes;
  if (option.needed) call += " REQUIRED";
  if (option.several) call += " ...";
  return call;
}

std::string UsageOf(const CommandFacts& command) {
  std::string usage = command.full_name + " [OPTIONS]";
  for (const OptionFacts& option : command.options) {
    if (!option.by_position) continue;
    const std::string name = option.name() + (option.several ? "..." : "");
    usage += option.needed ? " " + name : " [" + name + "]";
  }
  return usage + (command.commands.empty() ? "" : " [SUBCOMMAND]");
}

std::string HelpText(const CommandFacts& command, std::size_t width) {
  std::string text = Wrapped(command.summary, width) + Wrapped("Usage: " + UsageOf(command), width);
  text += OptionsText(command, "Positionals", width, [](const auto& option) { return option.by_position; });
  text += OptionsText(command, "Options", width,
                      [](const auto& option) { return !option.by_position && !option.everywhere; });
  text += OptionsText(command, "Options of every command", width,
                      [](const auto& option) { return option.everywhere; });
  if (!command.commands.empty()) text += "\nSubcommands:\n";
  for (const CommandFacts& inner : command.commands) text += Beside(inner.name, inner.summary, width);
  if (!command.notes.empty() || !command.examples.empty()) text += "\n";
  for (const std::string& note : command.notes) {
    for (const std::string& line : Broken(note, width)) text += line + "\n";
  }
  if (!command.examples.empty()) text += "Examples:\n";
  for (const std::string& example : command.examples) text += ExampleText(example, width);
  return text;
}

}  // namespace tandem
