// A process that this one started: never left behind, neither running nor as a zombie.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

struct ProgramStart {
  std::vector<std::string> words;  // the program, looked for in PATH unless it has a '/', and its arguments
  int input, output;               // what become its standard input and output
  // In a process group of its own, with signals as a shell has them: Ctrl-C is for others, and what it starts
  // is told and killed with it.
  bool own_group = true;
  // Is told to end by SIGTERM where the thread that starts it ends, whatever by. It then has this program's
  // group.
  bool ends_with_starter = false;
  int error = -1;  // what becomes its standard error; -1: it has ours
};

class Child {
 public:
  Child() = default;
  explicit Child(pid_t forked) : pid_(forked) {}
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), own_group_(other.own_group_) {}
  Child& operator=(Child&& other) noexcept {
    End();
    pid_ = std::exchange(other.pid_, -1);
    own_group_ = other.own_group_;
    return *this;
  }
  ~Child() { End(); }

  int Start(const ProgramStart& start);  // 0, or an errno: why it cannot be started

  pid_t pid() const { return pid_; }  // -1: it is gone, or never was
  void Signal(int number) const;
  // These two look without taking its end away, so that nobody else gets its number.
  bool EndsWithin(Nanos patience) const;
  std::string HowItEnded() const;       // of one that has: "ended with status 1", "was ended by signal 9"
  int Wait();                           // until it has ended; what waitpid says of it
  void End(Nanos patience = Nanos{0});  // killed where it does not end within that time

 private:
  pid_t pid_ = -1;
  bool own_group_ = false;
};

}  // namespace tandem
