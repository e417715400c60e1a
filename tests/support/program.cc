#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tandem {
namespace {

std::string TakeFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

}  // namespace

ProgramResult RunShell(const std::string& command) {
  const std::string stem = testing::TempDir() + "tandem_" + std::to_string(::getpid());
  const std::string redirected = "{ " + command + "\n} >" + stem + ".out 2>" + stem + ".err </dev/null";
  const int status = std::system(redirected.c_str());
  ProgramResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = TakeFile(stem + ".out");
  result.errors = TakeFile(stem + ".err");
  return result;
}

std::size_t WidestLine(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

}  // namespace tandem
