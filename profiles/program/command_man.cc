// The manual's pages.
#include <algorithm>
#include <filesystem>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/program/command_facts.h"
#include "profiles/program/command_line.h"

namespace tandem {
namespace {

// As roff prints it and does not obey it.
std::string Roff(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else if (c == '\'') {
      roff += "\\(aq";
    } else if (c == '^') {
      roff += "\\(ha";
    } else if (c == '~') {
      roff += "\\(ti";
    } else if (c == '`') {
      roff += "\\(ga";
    } else {
      roff += c == '\n' ? ' ' : c;
    }
  }
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }
std::string Heading(std::string_view name) { return ".SH " + std::string(name) + "\n"; }

std::string Dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string Upper(std::string name) {
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

// A list of words may be longer than a line.
std::string Breakable(const std::string& roff) {
  std::string breakable;
  for (const char c : roff) breakable += c == ',' ? std::string(",\\:") : std::string(1, c);
  return breakable;
}

std::string OptionPart(const OptionFacts& option) {
  std::string part = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i) part += (i > 0 ? ", " : "") + Bold(option.names[i]);
  if (!option.takes.empty() && !option.by_position) part += " " + Breakable(Italic(option.takes));
  if (option.several) part += " ...";
  part += "\n" + Roff(option.help);
  if (option.needed) part += " (required)";
  if (!option.excludes.empty()) part += "; not with " + Roff(Joined(option.excludes));
  return part + "\n";
}

std::string Synopsis(const CommandFacts& command) {
  return Bold(command.full_name) + Roff(UsageOf(command).substr(command.full_name.size())) + "\n";
}

std::string OptionsPart(const CommandFacts& command, bool by_position, std::string_view heading) {
  std::string part;
  for (const OptionFacts& option : command.options) {
    if (option.by_position == by_position) part += OptionPart(option);
  }
  return part.empty() ? "" : Heading(heading) + part;
}

std::string CommandsPart(const CommandFacts& command) {
  if (command.commands.empty()) return "";
  std::string part = Heading("COMMANDS");
  for (const CommandFacts& inner : command.commands) {
    part += ".TP\n" + Bold(Dashed(inner.full_name)) + "(1)\n" + Roff(inner.summary) + "\n";
  }
  return part;
}

std::string NotesPart(const CommandFacts& command) {
  std::string part;
  for (const std::string& note : command.notes) part += (part.empty() ? "" : ".PP\n") + Roff(note) + "\n";
  return part.empty() ? "" : Heading("NOTES") + part;
}

std::string ExamplesPart(const CommandFacts& command) {
  if (command.examples.empty()) return "";
  std::string part = Heading("EXAMPLES") + ".nf\n";
  for (const std::string& example : command.examples) part += Roff(example) + "\n";
  return part + ".fi\n";
}

// What it is in, and the program.
std::string SeeAlso(const CommandFacts& command) {
  const std::size_t space = command.full_name.rfind(' ');
  if (space == std::string::npos) return "";
  const std::string outer = command.full_name.substr(0, space),
                    program = command.full_name.substr(0, command.full_name.find(' '));
  std::string part = Heading("SEE ALSO") + Bold(Dashed(outer)) + "(1)";
  if (outer != program) part += ", " + Bold(program) + "(1)";
  return part + "\n";
}

}  // namespace

std::string ManPageName(const CommandFacts& command) { return Dashed(command.full_name) + ".1"; }

std::string ManPage(const CommandFacts& command, std::string_view version) {
  const std::string name = Dashed(command.full_name);
  std::string page = ".TH \"" + Roff(Upper(name)) + "\" 1 \"\" \"" + Roff(version) + "\" \"User Commands\"\n";
  page += ".nh\n.ad l\n";  // names are not broken
  page += Heading("NAME") + Roff(name) + " \\- " + Roff(command.summary) + "\n";
  page += Heading("SYNOPSIS") + Synopsis(command);
  page += OptionsPart(command, true, "ARGUMENTS") + OptionsPart(command, false, "OPTIONS");
  return page + CommandsPart(command) + NotesPart(command) + ExamplesPart(command) + SeeAlso(command);
}

namespace man {
namespace {

struct ManArguments {
  std::vector<std::string> command;
  std::string all;
};

const CommandFacts& Named(const std::vector<std::string>& words) {
  const CommandFacts* command = &ThisProgram();
  for (const std::string& word : words) {
    const CommandFacts* const inner = command->Find(word);
    if (inner == nullptr) {
      std::vector<std::string> known;
      for (const CommandFacts& one : command->commands) known.push_back(one.name);
      throw InputError(command->full_name + " has no command " + Quoted(word) + Suggestion(word, known));
    }
    command = inner;
  }
  return *command;
}

void WriteAll(const CommandFacts& command, const std::filesystem::path& folder) {
  WriteFile(folder / ManPageName(command), ManPage(command, ThisVersion()));
  for (const CommandFacts& inner : command.commands) WriteAll(inner, folder);
}

int Man(const ManArguments& arguments) {
  const CommandFacts& command = Named(arguments.command);
  if (arguments.all.empty()) {
    WriteOutput(ManPage(command, ThisVersion()));
    return kExitDone;
  }
  std::error_code error;
  std::filesystem::create_directories(arguments.all, error);
  WriteAll(command, arguments.all);
  return kExitDone;
}

void Declare(Command& command, ManArguments& arguments) {
  command.Add("COMMAND", &arguments.command, "a command, perhaps with one in it; else the program");
  command.Add("--all", &arguments.all, "write its page and those of all that is in it into this folder")
      .Shown("FOLDER");
  command.Footer(
      "The page is roff: `man -l FILE` shows it. Where the program is installed, `man {program}` does.\n"
      "Examples:\n  {program} man\n  {program} man man\n  {program} man --all man1");
}

const CommandRegistration kMan{
    {.name = "man", .summary = "the manual's page of a command", .order = 3010}, Declare, Man};

}  // namespace
}  // namespace man
}  // namespace tandem
