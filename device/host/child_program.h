// A program that runs beside this one and is talked to line by line on its standard input and output. Its
// standard error is ours.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/host/program_guard.h"
#include "profiles/base/child.h"
#include "profiles/base/time.h"

namespace tandem {

inline constexpr std::size_t kLongestLine = 1 << 16;  // of a program that nobody knows

// Every failure throws EnvironmentError that starts with `who`; after one the program is gone.
class ChildProgram {
 public:
  // The program is looked for in PATH unless it has a '/'; then it is relative to the working directory.
  // With an `input` that is its standard input, and lines come to it by its standard output, which is a
  // socket.
  ChildProgram(std::string who, const std::vector<std::string>& command,
               const std::optional<std::string>& input = {}, std::size_t longest_line = kLongestLine);
  // Says "quit" to one that is well, gives it a moment, and kills it with all that it started. Where this
  // process ends before, the guard does, even where the program hangs.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // Sends a line and waits for the next one that comes back, without its end. `what` names the answer in
  // messages: "the answer to load".
  std::string Ask(std::string_view line, Nanos limit, std::string_view what);
  std::string ReadLine(Nanos limit, std::string_view what);
  // The two apart: nothing is waited for; and is a line there within that time?
  void Send(std::string_view line);
  bool HasLine(Nanos limit, std::string_view what);

  // Throws "WHO: MESSAGE", and the program is gone.
  [[noreturn]] void Fail(const std::string& message);
  pid_t pid() const { return child_.pid(); }  // -1: it is gone
  void Signal(int number) const { child_.Signal(number); }

 private:
  void Start(const std::vector<std::string>& command, const std::optional<std::string>& input);
  ssize_t Receive(int flags);  // 0: nothing more will come
  bool TakeLine(std::string& line);
  [[noreturn]] void FailEnded(std::string_view what);
  void End(Nanos patience);

  std::string who_;
  std::size_t longest_line_;
  std::unique_ptr<ProgramGuard> guard_;  // while the program runs
  Child child_;
  int channel_ = -1;  // a socket: both its standard input and its standard output
  std::string read_;  // beyond the lines that were taken
};

}  // namespace tandem
