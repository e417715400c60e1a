// What a command line prints, run in this process by the commands that are linked in.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiles/program/command_line.h"

namespace tandem {

struct CommandAnswer {
  int status = 0;
  std::string output, errors;
};

inline CommandAnswer AnswerOf(const ProgramFacts& program, const std::vector<std::string>& words) {
  std::vector<const char*> line = {program.name.c_str()};
  for (const std::string& word : words) line.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CommandAnswer answer;
  answer.status = RunProgram(program, static_cast<int>(line.size()), line.data());
  answer.output = testing::internal::GetCapturedStdout();
  answer.errors = testing::internal::GetCapturedStderr();
  return answer;
}

}  // namespace tandem
