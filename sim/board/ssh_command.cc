#include "sim/board/ssh_command.h"

#include <algorithm>
#include <sstream>

namespace tandem {
namespace {

bool IsOurProgram(const std::string& word) {
  return word == "tandem-device" || word.ends_with("/tandem-device");
}

}  // namespace

std::optional<SshCommand> ReadSshCommand(const std::string& command) {
  constexpr const char* kWithValue = "BbcDEeFIiJLlmOopQRSWw";  // options of ssh
  if (command.find_first_of("'\"\\$`") != std::string::npos) return std::nullopt;
  std::istringstream words(command);
  std::string word, options;
  words >> word;
  if (word != "ssh") return std::nullopt;
  while (words >> word && word.starts_with("-")) {
    options += " " + word;
    const bool in_next_word = word.find_first_of(kWithValue, 1) == word.size() - 1;
    if (in_next_word && words >> word) options += " " + word;
  }
  if (!words) return std::nullopt;
  SshCommand read;
  read.shell = "ssh" + options + " " + word;
  read.board = options.empty() ? word : "\"" + read.shell + "\"";
  while (words >> word) read.words.push_back(word);
  return read;
}

std::string BoardNamedBy(const std::string& command) {
  const auto read = ReadSshCommand(command);
  return read ? read->board : "";
}

std::optional<std::string> WithProgramThere(const std::string& command, const std::string& program) {
  // What the shell here makes more than one command of is not the board's alone.
  if (command.find_first_of(";&|()<>\n") != std::string::npos) return std::nullopt;
  const auto read = ReadSshCommand(command);
  if (!read || std::none_of(read->words.begin(), read->words.end(), IsOurProgram)) return std::nullopt;
  std::string changed = read->shell;
  for (const std::string& word : read->words) changed += " " + (IsOurProgram(word) ? program : word);
  return changed;
}

}  // namespace tandem
