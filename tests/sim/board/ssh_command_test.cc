// Is it understood which board an ssh command reaches, and what it starts there?
#include "sim/board/ssh_command.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(BoardNamedByACommand, IsTheHostOfSshWithItsOptions) {
  EXPECT_EQ(BoardNamedBy("ssh jetson tandem-device"), "jetson");
  EXPECT_EQ(BoardNamedBy("ssh me@jetson nice -n 5 tandem-device"), "me@jetson");
  EXPECT_EQ(BoardNamedBy("ssh -p 2222 -o BatchMode=yes me@jetson tandem-device"),
            "\"ssh -p 2222 -o BatchMode=yes me@jetson\"");
  EXPECT_EQ(BoardNamedBy("ssh -vp 2222 jetson tandem-device"), "\"ssh -vp 2222 jetson\"");
  EXPECT_EQ(BoardNamedBy("ssh -p2222 -4 jetson tandem-device"), "\"ssh -p2222 -4 jetson\"");
}

TEST(BoardNamedByACommand, IsNobodyWhereItIsNotUnderstood) {
  for (const char* command : {"tandem-device", "./reach board tandem-device", "ssh", "ssh -p", "ssh $board x",
                              "ssh -o 'A b' jetson tandem-device", ""}) {
    EXPECT_EQ(BoardNamedBy(command), "") << command;
  }
}

TEST(ProgramOfASshCommand, IsReplacedWhereItIsOurs) {
  EXPECT_EQ(WithProgramThere("ssh jetson tandem-device", "td/bin/tandem-device"),
            "ssh jetson td/bin/tandem-device");
  EXPECT_EQ(WithProgramThere("ssh -p 2222 me@jetson nice -n 5 /opt/td/bin/tandem-device", "new"),
            "ssh -p 2222 me@jetson nice -n 5 new");
}

TEST(ProgramOfASshCommand, IsNotReplacedWhereItIsAnotherOrNone) {
  for (const char* command :
       {"ssh jetson", "ssh jetson my-device", "ssh jetson my-tandem-device", "tandem-device",
        "ssh 'a jetson' tandem-device", "ssh jetson cd x && tandem-device"}) {
    EXPECT_EQ(WithProgramThere(command, "new"), std::nullopt) << command;
  }
}

}  // namespace
}  // namespace tandem
