// Programs that a scenario wants to run beside its requests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/host/program_guard.h"
#include "profiles/base/child.h"

namespace tandem {

// Started here, each in a process group of its own; ended with all that they started when this goes: asked to
// by SIGTERM, made to by SIGKILL. They end too where this process does before. What they print goes to
// standard error.
class BackgroundPrograms {
 public:
  // Throws EnvironmentError where one cannot be started.
  explicit BackgroundPrograms(const std::vector<std::vector<std::string>>& commands);
  ~BackgroundPrograms();
  BackgroundPrograms(const BackgroundPrograms&) = delete;
  BackgroundPrograms& operator=(const BackgroundPrograms&) = delete;

  // Those that are no longer there: "stress-ng ended with status 1".
  std::vector<std::string> Ended();

 private:
  struct Program {
    std::string name;
    Child child;
    bool told = false;  // that it is no longer there
  };
  void Start(const std::vector<std::string>& command);
  void StopAll();

  std::unique_ptr<ProgramGuard> guard_;  // where there are programs
  std::vector<Program> programs_;
};

}  // namespace tandem
