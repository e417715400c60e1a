// Does a started program get what it is to read and write, say how it ended, and go with all that it started?
#include "profiles/base/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tandem {
namespace {

constexpr Nanos kLong{20'000'000'000};

// Runs such a line of a shell, whose output comes out of `output`.
class AShell {
 public:
  explicit AShell(const std::string& line) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    output_ = ends[0];
    EXPECT_EQ(child.Start({{"sh", "-c", line}, STDIN_FILENO, ends[1]}), 0);
    ::close(ends[1]);
  }
  ~AShell() { ::close(output_); }

  std::string Line() const {
    std::string line;
    for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  Child child;

 private:
  int output_ = -1;
};

TEST(AChild, SaysHowItEnded) {
  AShell shell("echo here; exit 3");
  EXPECT_EQ(shell.Line(), "here");
  ASSERT_TRUE(shell.child.EndsWithin(kLong));
  EXPECT_EQ(shell.child.HowItEnded(), "ended with status 3");
  EXPECT_GT(shell.child.pid(), 0);  // looking takes nothing away
  shell.child.Wait();
  EXPECT_EQ(shell.child.pid(), -1);
}

TEST(AChild, IsToldWithWhatItStarted) {
  AShell shell("sleep 1000 & echo $!; wait");
  EXPECT_NE(shell.Line(), "");
  EXPECT_FALSE(shell.child.EndsWithin(Nanos{0}));
  shell.child.Signal(SIGTERM);
  ASSERT_TRUE(shell.child.EndsWithin(kLong));
  EXPECT_EQ(shell.child.HowItEnded(), "was ended by signal 15");
  EXPECT_EQ(shell.Line(), "");  // nobody holds the pipe any more
}

TEST(AChild, IsKilledWhereItDoesNotEndInTime) {
  AShell shell("trap '' TERM; echo here; while :; do sleep 1000; done");
  EXPECT_EQ(shell.Line(), "here");
  shell.child.Signal(SIGTERM);
  shell.child.End(Nanos{1'000'000});
  EXPECT_EQ(shell.child.pid(), -1);
  EXPECT_EQ(shell.Line(), "");
}

TEST(AChild, ThatIsNotThereSaysWhy) {
  Child child;
  EXPECT_EQ(child.Start({{"/nowhere/program"}, STDIN_FILENO, STDOUT_FILENO}), ENOENT);
  EXPECT_EQ(child.pid(), -1);
}

TEST(AChild, ThatIsForkedIsWaitedFor) {
  Child child(::fork());
  if (child.pid() == 0) ::_exit(5);
  Child other(std::move(child));
  EXPECT_EQ(other.Wait() >> 8, 5);
}

TEST(AChild, EndsWithItsStarterWhateverEndsThat) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    Child child;
    child.Start({{"sh", "-c", "echo here; exec sleep 1000"}, STDIN_FILENO, ends[1], false, true});
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char letter = 0;
  EXPECT_EQ(::read(ends[0], &letter, 1), 1) << "it runs";
  ::kill(starter, SIGKILL);
  EXPECT_EQ(::waitpid(starter, nullptr, 0), starter);
  while (::read(ends[0], &letter, 1) == 1) {  // to the end of what it said, which is its own end
  }
  EXPECT_EQ(letter, '\n');
  ::close(ends[0]);
}

}  // namespace
}  // namespace tandem
