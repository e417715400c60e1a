// Do programs that run beside a run end with it, whatever becomes of the run?
#include "device/harness/programs.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace tandem {
namespace {

class Programs : public ::testing::Test {
 protected:
  Programs()
      : noted_(std::filesystem::temp_directory_path() / ("tandem_programs_" + std::to_string(::getpid()))) {
    std::filesystem::remove(noted_);
    // What loses its parent becomes this process's, which can then wait for its end.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Programs() override {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    std::filesystem::remove(noted_);
  }

  // A shell that notes its id and that of a program that it has started.
  std::vector<std::string> Noting(const std::string& then) const {
    return {"sh", "-c", "sleep 1000 & echo $$ $! > " + noted_.string() + "; " + then};
  }
  std::vector<pid_t> WaitForIds() const {
    for (;;) {
      std::ifstream file(noted_);
      pid_t shell = 0, started = 0;
      if (file >> shell >> started) return {shell, started};
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  std::filesystem::path noted_;
};

int SignalThatEnded(pid_t id) {
  int status = 0;
  EXPECT_EQ(::waitpid(id, &status, 0), id);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(Programs, EndWithWhatTheyStarted) {
  std::vector<pid_t> ids;
  {
    const BackgroundPrograms programs({Noting("wait")});
    ids = WaitForIds();
  }
  EXPECT_EQ(::waitpid(ids[0], nullptr, WNOHANG), -1) << "it was waited for";
  EXPECT_EQ(SignalThatEnded(ids[1]), SIGTERM);
}

TEST_F(Programs, ThatDoNotListenAreMadeToEnd) {
  std::vector<pid_t> ids;
  {
    const BackgroundPrograms programs({Noting("trap '' TERM; while :; do sleep 1000; done")});
    ids = WaitForIds();
  }
  EXPECT_EQ(::kill(ids[0], 0), -1);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }  // what its shell has not waited for
  EXPECT_EQ(::kill(ids[1], 0), -1);
}

TEST_F(Programs, EndWhenTheirParentIsKilled) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    const BackgroundPrograms programs({Noting("wait"), {"sleep", "1000"}});
    (void)WaitForIds();
    ::kill(::getpid(), SIGKILL);
  }
  const std::vector<pid_t> ids = WaitForIds();
  EXPECT_EQ(SignalThatEnded(parent), SIGKILL);
  EXPECT_EQ(SignalThatEnded(ids[0]), SIGTERM);
  EXPECT_EQ(SignalThatEnded(ids[1]), SIGTERM);
  int status = 0;  // the other program and the guard
  while (::waitpid(-1, &status, 0) > 0) {
    EXPECT_TRUE(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGTERM) << status;
  }
}

}  // namespace
}  // namespace tandem
