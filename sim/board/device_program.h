// The program on the board: started with JSON on its standard input, its answer read from its standard
// output. What it says on standard error goes straight through.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tandem {

struct DeviceAnswer {
  int status = 0;      // the exit status, or 128 + the signal that ended it
  std::string output;  // all of its standard output
};

class DeviceProgram {
 public:
  // `command` as a shell takes it: "ssh jetson tandem-device". Empty: tandem-device beside this program, else
  // the one of $PATH.
  explicit DeviceProgram(const std::string& command);

  const std::string& command() const { return command_; }

  // Starts the program with these arguments behind the command's own. `go_on` is asked now and then: once it
  // says no, the program has a while to end by itself and is then told to, and in the end made to. Throws
  // EnvironmentError where it cannot be started at all.
  DeviceAnswer Run(const std::vector<std::string>& arguments, const std::string& input,
                   const std::function<bool()>& go_on) const;

 private:
  std::string command_;
};

}  // namespace tandem
