#include "profiles/program/questions.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

std::string WithoutSpaces(std::string answer) {
  while (answer.ends_with(' ') || answer.ends_with('\r')) answer.pop_back();
  return answer.substr(std::min(answer.find_first_not_of(' '), answer.size()));
}

bool SomebodyIsThere() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

}  // namespace

bool IsAnsweredYes(const std::string& question) {
  if (!SomebodyIsThere()) return false;
  std::string answer;
  while (true) {
    WriteError(question + " [y/n] ");
    if (!std::getline(std::cin, answer)) {
      WriteError("\n");
      return false;
    }
    answer = WithoutSpaces(std::move(answer));
    if (answer == "y" || answer == "yes") return true;
    if (answer == "n" || answer == "no") return false;
  }
}

Questions::Questions(const std::string& command, const std::vector<Missing>& needed) {
  std::vector<std::string> missing;
  for (const Missing& one : needed) {
    if (one.is_missing) missing.push_back(one.option);
  }
  if (missing.empty()) return;
  asks_ = SomebodyIsThere();
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
  return WithoutSpaces(std::move(answer));
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
                        std::vector<std::string>& values, const Judge& judge, Line line) const {
  if (!asks_ || !values.empty()) return;
  WriteError(question + "; one a line, an empty line ends" +
             (standard.empty() ? "" : " [" + Joined(standard, " ") + "]") + ":\n");
  while (true) {
    std::string answer = Answer("> ");
    if (answer.empty() && values.empty()) values = standard;
    if (answer.empty() && !values.empty()) return;
    Take(answer, values, judge, line);
  }
}

void Questions::Take(const std::string& answer, std::vector<std::string>& values, const Judge& judge,
                     Line line) const {
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end =
        line == Line::kOne ? answer.size() : std::min(answer.find(',', begin), answer.size());
    std::string word = WithoutSpaces(answer.substr(begin, end - begin));
    begin = end + 1;
    if (!word.empty() && IsTaken(word, judge)) values.push_back(std::move(word));
  }
}

}  // namespace tandem
