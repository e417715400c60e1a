// Ends the programs that this process has started when this process is gone, however that came about.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "profiles/base/child.h"

namespace tandem {

// A process of its own that waits for this one's end. A signal that ends this process, even one that cannot
// be caught, leaves nothing behind.
class ProgramGuard {
 public:
  // So many will be watched. Throws EnvironmentError, which `who` opens.
  ProgramGuard(const std::string& who, std::size_t programs);
  ~ProgramGuard();  // from here on nothing is ended any more
  ProgramGuard(const ProgramGuard&) = delete;
  ProgramGuard& operator=(const ProgramGuard&) = delete;

  void Watch(pid_t group);  // a process group

 private:
  int line_ = -1;
  Child guard_;
};

}  // namespace tandem
