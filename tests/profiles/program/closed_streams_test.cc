// Does a program whose standard streams were closed when it was started write into none of its own files?
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <initializer_list>

#include "profiles/base/files.h"
#include "profiles/program/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

[[noreturn]] void RunWithout(std::initializer_list<int> streams, const std::function<int()>& body) {
  for (const int stream : streams) ::close(stream);
  ::_exit(RunGuarded("test", body));
}

// 0: a file that is opened is no standard stream.
int OpenAFile() { return ::open("/dev/null", O_RDWR | O_CLOEXEC) > STDERR_FILENO ? kExitDone : kExitNo; }

TEST(ClosedStreamsDeathTest, LeaveTheirNumbersToNoFile) {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    EXPECT_EXIT(RunWithout({stream}, OpenAFile), testing::ExitedWithCode(kExitDone), "") << stream;
  }
  EXPECT_EXIT(RunWithout({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}, OpenAFile),
              testing::ExitedWithCode(kExitDone), "");
}

TEST(ClosedStreamsDeathTest, GetNoneOfWhatIsSaidIntoAFile) {
  const TempFolder folder;
  const auto write_and_say = [&] {
    FileWriter writer(folder / "t.json");
    WriteError("said\n");
    writer.Append("whole");
    writer.Commit();
    return kExitDone;
  };
  EXPECT_EXIT(RunWithout({STDERR_FILENO}, write_and_say), testing::ExitedWithCode(kExitDone), "");
  EXPECT_EQ(ReadTextFile(folder / "t.json"), "whole");
}

TEST(ClosedStreamsDeathTest, AreNotTakenForWritten) {
  const auto say = [] {
    WriteOutput("a result\n");
    return kExitDone;
  };
  EXPECT_EXIT(RunWithout({STDOUT_FILENO}, say), testing::ExitedWithCode(kExitFailed),
              "standard output cannot be written");
}

}  // namespace
}  // namespace tandem
