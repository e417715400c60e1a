// The program on the board: started with JSON on its standard input, its answer read from its standard
// output. What it says on standard error comes to ours line by line, with what a terminal would obey written
// out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/input_error.h"

namespace tandem {

struct DeviceAnswer {
  int status = 0;      // the exit status
  int signal = 0;      // that ended it; then there is no exit status
  std::string output;  // all of its standard output
};

// What it reads: a text, and behind it files, one after the other.
struct DeviceInput {
  std::string text;
  std::vector<std::filesystem::path> files;
  std::function<void(std::int64_t bytes)> told;  // of the files, so many are on their way; may be empty
};

// Where it is started, and where what it says on standard error goes; empty: here, and to ours.
struct DeviceProgramPlace {
  std::filesystem::path folder;
  std::filesystem::path said;  // appended, up to kMostSaidInFile, and then that there was more
};
inline constexpr std::int64_t kMostSaidInFile = std::int64_t{16} << 20;

// It is not there, or cannot be executed.
class ProgramMissing : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

class DeviceProgram {
 public:
  // `command` as a shell takes it: "ssh jetson tandem-device". Empty: tandem-device beside this program, else
  // the one of $PATH.
  explicit DeviceProgram(const std::string& command, DeviceProgramPlace place = {});

  const std::string& command() const { return command_; }
  const DeviceProgramPlace& place() const { return place_; }
  DeviceProgram StartedBy(const std::string& command) const;  // in the same place
  DeviceProgram Silent() const;  // the same, and nothing of what it says on standard error is heard
  bool is_here() const { return is_here_; }  // nobody named one: it sees the files that this program sees

  // Starts the program with these arguments behind the command's own. `go_on` is asked now and then until the
  // program has ended, its output closed or not: once it says no, the program is told to end, and in the end
  // made to. Throws ProgramMissing where it cannot be started at all.
  // `heard`, if there is one, is told all of the output so far whenever there is more.
  DeviceAnswer Run(const std::vector<std::string>& arguments, const DeviceInput& input,
                   const std::function<bool()>& go_on,
                   const std::function<void(std::string_view)>& heard = nullptr) const;

 private:
  bool is_here_;
  std::string command_;
  DeviceProgramPlace place_;
};

}  // namespace tandem
