// Does a board that has no program, or another release, hear how to get it, by its own name? What reaches the
// terminal, or a file, of what it says? And is one that stays beyond its answer waited for no longer than
// anybody wants?
#include "sim/board/device_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/version.h"
#include "sim/board/device_version.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

// With an `ssh` that reaches boards without our program.
class EmptyBoards : public ::testing::Test {
 protected:
  EmptyBoards() : before_(std::getenv("PATH")) {
    std::ofstream(tools_ / "ssh") << "#!/bin/sh\nexit 127\n";
    std::filesystem::permissions(tools_ / "ssh", std::filesystem::perms::owner_all);
    ::setenv("PATH", (tools_.string() + ":" + before_).c_str(), 1);
  }
  ~EmptyBoards() override { ::setenv("PATH", before_.c_str(), 1); }
  static std::string Said(const std::string& command) {
    try {
      (void)DeviceProgram(command).Run({"info"}, {}, [] { return true; });
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "it was started";
  }

 private:
  TempFolder tools_;
  std::string before_;
};

TEST_F(EmptyBoards, AreNamedWhereTheProgramIsMissing) {
  EXPECT_EQ(
      Said("ssh jetson tandem-device"),
      "the device's program cannot be started: ssh jetson tandem-device; --device says which it is, and "
      "`tandem boards install jetson` puts it on that board");
  EXPECT_NE(Said("ssh 'a jetson' tandem-device").find("`tandem boards install BOARD`"), std::string::npos);
  const std::string other = Said("./no-such-program");
  EXPECT_EQ(other.find("boards install"), std::string::npos) << other;
}

// A program of these lines of shell, and what reaches our standard error of it.
class WhatABoardSays : public ::testing::Test {
 protected:
  std::string Said(const std::string& lines) {
    std::ofstream(folder_ / "board.sh") << lines;
    testing::internal::CaptureStderr();
    answer_ =
        DeviceProgram("sh '" + (folder_ / "board.sh").string() + "'").Run({"info"}, {}, [] { return true; });
    return testing::internal::GetCapturedStderr();
  }
  TempFolder folder_;
  DeviceAnswer answer_;
};

TEST_F(WhatABoardSays, CannotCommandTheTerminal) {
  EXPECT_EQ(Said(R"(printf '\033]0;mine\007\033[2Jgone\rover\n\342\200\256tel\233\n' >&2; echo done)"),
            "\\u001b]0;mine\\u0007\\u001b[2Jgone\\u000dover\n\\u202etel\\x9b\n");
  EXPECT_EQ(answer_.output, "done\n");
}

TEST_F(WhatABoardSays, ComesThroughAsItIsOtherwise) {
  EXPECT_EQ(Said(R"(printf 'ssh: no route\r\n\ttemp\303\251rature 61 \302\260C\n' >&2)"),
            "ssh: no route\n\ttemp\xc3\xa9rature 61 \xc2\xb0"
            "C\n");
  // A character that comes in halves, and a line without an end.
  EXPECT_EQ(Said(R"(printf '\303' >&2; sleep 0.2; printf '\251 last' >&2)"), "\xc3\xa9 last");
}

// More than a pipe holds, after the answer.
TEST_F(WhatABoardSays, IsHeardAfterItsAnswer) {
  const std::string said = Said(
      "echo done; exec 1>&-; i=0; while [ $i -lt 4000 ]; do echo 'line after line after line' >&2; "
      "i=$((i+1)); done; exit 4");
  EXPECT_EQ(said.size(), 4000U * 27);
  EXPECT_EQ(answer_.output, "done\n");
  EXPECT_EQ(answer_.status, 4);
}

// As ssh leaves its shared connection behind.
TEST_F(WhatABoardSays, IsNotWaitedForOnceTheProgramHasEnded) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Said("sleep 20 >/dev/null & echo left >&2; echo done"), "left\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// A program of these lines of shell, whose standard error goes to a file.
class WhatIsKeptOfABoard : public ::testing::Test {
 protected:
  void Run(const std::string& lines) const {
    WriteFile(folder_ / "board.sh", lines);
    (void)DeviceProgram("sh '" + (folder_ / "board.sh").string() + "'", {{}, file_}).Run({"info"}, {}, [] {
      return true;
    });
  }
  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "said.txt";
};

TEST_F(WhatIsKeptOfABoard, IsAppendedAsItIs) {
  Run(R"(printf 'one
' >&2)");
  Run("printf two >&2");
  EXPECT_EQ(ReadTextFile(file_), "one\x1b\ntwo");
}

TEST_F(WhatIsKeptOfABoard, DoesNotFillTheDisk) {
  Run("echo first >&2");
  Run("exec head -c 20000000 /dev/zero >&2");
  Run("echo later >&2");
  const std::string kept = ReadTextFile(file_);
  EXPECT_TRUE(kept.starts_with("first\n"));
  ASSERT_GT(kept.size(), static_cast<std::size_t>(kMostSaidInFile));
  EXPECT_EQ(kept.substr(kMostSaidInFile), "\ntandem: it said more than 16 MiB, and the rest is not kept\n");
}

TEST_F(WhatIsKeptOfABoard, HasAPlaceOrNothingIsAsked) {
  file_ = folder_ / "no" / "said.txt";
  EXPECT_THROW(Run(": > '" + (folder_ / "asked").string() + "'"), EnvironmentError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "asked"));
}

// It answers, closes its output and does not mind being told to end; from then on nobody waits for it.
class ABoardThatStays : public ::testing::Test {
 protected:
  void Run(const std::string& lines, const std::filesystem::path& said = {}) {
    const std::filesystem::path closed = folder_ / "closed";
    std::filesystem::remove(closed);
    WriteFile(folder_ / "board.sh",
              "trap '' TERM; echo done; exec >&-; : > '" + closed.string() + "'; " + lines);
    answer_ =
        DeviceProgram("sh '" + (folder_ / "board.sh").string() + "'", {{}, said}).Run({"info"}, {}, [&] {
          return !std::filesystem::exists(closed);
        });
  }
  TempFolder folder_;
  DeviceAnswer answer_;
};

TEST_F(ABoardThatStays, IsEnded) {
  for (const char* silence : {"", "exec 2>&-; "}) {
    Run(std::string(silence) + "exec sleep 30");
    EXPECT_EQ(answer_.signal, SIGKILL) << silence;
  }
}

TEST_F(ABoardThatStays, IsEndedWhileItTalks) {
  testing::internal::CaptureStderr();
  Run("i=0; while [ $i -lt 1000 ]; do echo 'still here' >&2; sleep 0.02; i=$((i+1)); done");
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(answer_.signal, SIGKILL);
}

// Faster than anybody reads. A file that it wrote itself would be no larger than that limit.
TEST_F(ABoardThatStays, IsEndedWhileItFloods) {
  Run("ulimit -f 100000; exec yes >&2", folder_ / "said.txt");
  EXPECT_EQ(answer_.signal, SIGKILL);
  EXPECT_LT(std::filesystem::file_size(folder_ / "said.txt"),
            static_cast<std::uintmax_t>(kMostSaidInFile) + 200);
}

TEST(BoardOfAnotherRelease, IsNamedWithWhatBringsThisOne) {
  DeviceVersion version;
  version.Heard("0.0.7");
  EXPECT_NE(
      version.Warning("ssh jetson tandem-device").find("`tandem boards install jetson` brings this one"),
      std::string::npos);
  EXPECT_EQ(version.Warning("./tandem-device").find("boards install"), std::string::npos);
}

}  // namespace
}  // namespace tandem
