#include "profiles/program/questions.h"

#include <unistd.h>

#include <iostream>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/program/program.h"

namespace tandem {

Questions::Questions(const std::string& command, const std::vector<Missing>& needed) {
  std::vector<std::string> missing;
  for (const Missing& one : needed) {
    if (one.is_missing) missing.push_back(one.option);
  }
  if (missing.empty()) return;
  asks_ = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (asks_) return;
  throw InputError(command + ": " + (missing.size() == 1 ? "this is missing: " : "these are missing: ") +
                   Joined(missing) + " (on a terminal they would be asked for)");
}

std::string Questions::Answer(const std::string& prompt) const {
  WriteError(prompt);
  std::string answer;
  if (!std::getline(std::cin, answer)) {
    WriteError("\n");
    throw InputError("the answers ended before the questions: nothing is written");
  }
  while (answer.ends_with(' ') || answer.ends_with('\r')) answer.pop_back();
  return answer.substr(answer.find_first_not_of(' ') == answer.npos ? answer.size()
                                                                    : answer.find_first_not_of(' '));
}

bool Questions::IsTaken(const std::string& answer, const Judge& judge) const {
  if (!judge) return true;
  try {
    judge(answer);
    return true;
  } catch (const InputError& error) {
    WriteError("  " + std::string(error.what()) + "\n");
    return false;
  }
}

void Questions::Ask(const std::string& question, const std::string& standard, std::string& value,
                    const Judge& judge) const {
  if (!asks_ || !value.empty()) return;
  while (true) {
    std::string answer = Answer(question + (standard.empty() ? "" : " [" + standard + "]") + ": ");
    if (answer.empty()) answer = standard;
    if (answer.empty() || !IsTaken(answer, judge)) continue;
    value = std::move(answer);
    return;
  }
}

void Questions::AskList(const std::string& question, const std::vector<std::string>& standard,
                        std::vector<std::string>& values, const Judge& judge) const {
  if (!asks_ || !values.empty()) return;
  WriteError(question + "; one a line, an empty line ends" +
             (standard.empty() ? "" : " [" + Joined(standard, " ") + "]") + ":\n");
  while (true) {
    std::string answer = Answer("> ");
    if (answer.empty() && values.empty()) values = standard;
    if (answer.empty() && !values.empty()) return;
    if (!answer.empty() && IsTaken(answer, judge)) values.push_back(std::move(answer));
  }
}

}  // namespace tandem
