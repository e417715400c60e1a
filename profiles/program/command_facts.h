// What the commands of a program take: told once by each command's file, and read by its help, its manual and
// completion.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct OptionFacts {
  std::vector<std::string> names;     // "-o", "--output"; of an argument by its position "FILE"
  std::string takes;                  // "TEXT", "{simgrid,virtual}", "INT in [1 - 20]"; empty: it is a flag
  std::vector<std::string> words;     // it takes one of these and nothing else; empty: others
  std::vector<std::string> excludes;  // options that it does not go with
  std::string help;
  bool by_position = false;
  bool takes_text = false;  // a name or a file, not a number
  bool needed = false;
  bool several = false;     // values
  bool everywhere = false;  // every command has it

  const std::string& name() const { return names.back(); }
};

struct CommandFacts {
  std::string name;       // "show"
  std::string full_name;  // "tandem models show"
  std::string summary;
  std::vector<std::string> notes;     // paragraphs: what to know
  std::vector<std::string> examples;  // command lines
  std::vector<OptionFacts> options;
  std::vector<CommandFacts> commands;  // in it

  const CommandFacts* Find(std::string_view command) const;
};

// Paragraphs and examples of a footer: lines up to "Examples:", joined where a sentence goes on, and those
// behind it.
void TakeFooter(std::string_view footer, CommandFacts& command);

// "-o,--output TEXT ...", or "MODEL TEXT REQUIRED".
std::string CallOf(const OptionFacts& option);
// "tandem models show [OPTIONS] NAME".
std::string UsageOf(const CommandFacts& command);

// What --help prints: lines of at most `width` characters. Of examples that are longer the rest stands on
// further lines, as a shell takes them.
std::string HelpText(const CommandFacts& command, std::size_t width);

// The manual's page in roff, section 1. `version`: "tandem 0.1.0".
std::string ManPage(const CommandFacts& command, std::string_view version);
// "tandem-models-show.1".
std::string ManPageName(const CommandFacts& command);

// The program that runs.
const CommandFacts& ThisProgram();
std::string ThisVersion();  // "tandem 0.1.0 (SimGrid 3.32)"
const std::string&
WhereProgramLies();  // as a shell takes it: its path where it was called by one, else its name

}  // namespace tandem
