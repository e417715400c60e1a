#include "profiles/program/command_line.h"

#include <cstdio>

#include "profiles/base/suggest.h"

namespace tandem {
namespace {

std::string Explain(const CommandWords& words, std::string_view parsers_message) {
  for (const std::string& word : words.unknown) {
    if (word.size() > 1 && word[0] == '-') {
      return "unknown option " + Quoted(word) + Suggestion(word, words.options);
    }
  }
  if (words.unknown.empty()) return std::string(parsers_message);
  const std::string& word = words.unknown[0];
  if (words.commands.empty()) return "unexpected argument " + Quoted(word);
  return "unknown command " + Quoted(word) + Suggestion(word, words.commands);
}

}  // namespace

std::string UsageError(const CommandWords& words, std::string_view parsers_message) {
  return words.command + ": " + Explain(words, parsers_message) + "\nRun `" + words.command +
         " --help` for its usage.\n";
}

void WriteError(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace tandem
