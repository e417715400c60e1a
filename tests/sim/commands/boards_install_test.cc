// Does tandem-device come onto a board whole or not at all, and is it said how to call it there?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/program/version.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class BoardsInstall : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(home());
    Write("reach", "#!/bin/sh\necho \"$*\" >>'" + Path("reached") + "'\ncd '" + home().string() +
                       "' && exec sh -c \"$*\"\n");
    Archive("good", "echo tandem-device " + std::string(Version()));
  }
  fs::path home() const { return folder_ / "home"; }
  fs::path there() const { return home() / ".local/share/tandem-device"; }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  // With a program that does this.
  void Archive(const std::string& name, const std::string& line) {
    const fs::path bin = folder_ / "made" / name / "bin";
    fs::create_directories(bin);
    std::ofstream(bin / "tandem-device") << "#!/bin/sh\n" << line << "\n";
    fs::permissions(bin / "tandem-device", fs::perms::owner_all);
    ASSERT_EQ(RunShell("tar -czf '" + Path(name + ".tar.gz") + "' -C '" + Path("made") + "' " + name).status,
              0);
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult Install(const std::string& archive, const std::string& more = "") {
    return RunTandem("boards install \"sh " + Path("reach") + "\" --archive " + Path(archive + ".tar.gz") +
                     " " + more);
  }

  TempFolder folder_;
};

TEST(BoardInstall, IsTheSameByItsOtherName) {
  const ProgramResult one = RunShell(std::string(TANDEM_PROGRAM) + " board install --help"),
                      other = RunShell(std::string(TANDEM_PROGRAM) + " boards install --help");
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(one.output.substr(0, 40), other.output.substr(0, 40));
}

TEST_F(BoardsInstall, PutsItThereAndSaysHowToCallIt) {
  const ProgramResult result = Install("good", "--json");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("\"device\": \"sh " + Path("reach") +
                               " .local/share/tandem-device/bin/tandem-device\""),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("\"version\": \"" + std::string(Version()) + "\""), std::string::npos);
  EXPECT_TRUE(fs::exists(there() / "bin/tandem-device"));
  EXPECT_EQ(Install("good").status, 0) << "again, over what is there";
}

TEST_F(BoardsInstall, WhatDoesNotStartThereLeavesWhatWasThere) {
  ASSERT_EQ(Install("good").status, 0);
  Archive("bad", "echo no such library >&2; exit 127");
  const ProgramResult result = Install("bad");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("no such library"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("starting what was unpacked failed"), std::string::npos) << result.errors;
  EXPECT_EQ(RunShell(there().string() + "/bin/tandem-device").status, 0);
}

TEST_F(BoardsInstall, AFolderFromHomeIsWhatARelativeOneIs) {
  const ProgramResult result = Install("good", "--folder '~/td'");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("sh " + Path("reach") + " td/bin/tandem-device info\n"), std::string::npos)
      << result.output;
  EXPECT_TRUE(fs::exists(home() / "td/bin/tandem-device"));
  EXPECT_FALSE(fs::exists(home() / "~"));
}

TEST_F(BoardsInstall, SlashesAtTheEndOfTheFolderMeanNothing) {
  for (const char* folder : {"td", "td/", "td//"}) {
    const ProgramResult result = Install("good", "--folder " + std::string(folder));
    EXPECT_EQ(result.status, 0) << folder << ": " << result.errors;
    EXPECT_NE(result.output.find(" td/bin/tandem-device info\n"), std::string::npos) << result.output;
    EXPECT_EQ(RunShell("ls -A '" + (home() / "td").string() + "'").output, "bin\n") << folder;
  }
}

TEST_F(BoardsInstall, AFolderThatCannotBeReplacedOrCalledIsRefusedBeforeAnythingIsSent) {
  for (const char* folder : {".", "..", "/", "//", "~", "~/", "td/.", "td/..", "~/..", "my dir", "a'b",
                             "$HOME/td", "~root/td", "-td", "a;b"}) {
    const ProgramResult result = Install(
        "good", "--folder=\"" + std::string(folder == std::string("$HOME/td") ? "\\" : "") + folder + "\"");
    EXPECT_EQ(result.status, 2) << folder;
    EXPECT_NE(result.errors.find("--folder \"" + std::string(folder) + "\": "), std::string::npos)
        << result.errors;
  }
  EXPECT_FALSE(fs::exists(Path("reached")));
  EXPECT_EQ(Install("good", "--folder \"\"").status, 2);
  EXPECT_FALSE(fs::exists(Path("reached")));
}

TEST_F(BoardsInstall, AFolderOfSomebodyElseIsNamedAndLeftAloneWithoutForce) {
  struct Case {
    std::string folder, file, said;
  };
  const std::vector<Case> cases = {
      {"precious", "precious/file", "precious is there, and tandem did not install it: it has no "},
      {"bin", "bin/mine", "it has no bin/tandem-device, but \"mine\""},
      {".local", ".local/share/mine/data", "it has \"share/mine\", too"},
      {"tools", "tools/bin/mine", "it has \"bin/mine\", too"},
      {"note", "note", "note is there, and tandem did not install it: it is no folder"},
      {"td", "td.new/file", "td.new is there, and"},
      {"td", "td.old/file", "td.old is there, and"}};
  for (const Case& one : cases) {
    const fs::path file = home() / one.file;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "data";
    if (one.folder == ".local" || one.folder == "tools") {
      fs::create_directories(home() / one.folder / "bin");
      std::ofstream(home() / one.folder / "bin/tandem-device") << "one of the same name";
    }
    const ProgramResult result = Install("good", "--folder " + one.folder);
    EXPECT_EQ(result.status, 2) << one.file;
    EXPECT_NE(result.errors.find("sh " + Path("reach") + ": "), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(one.said), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("its --force removes it"), std::string::npos) << result.errors;
    EXPECT_TRUE(fs::is_regular_file(file)) << one.file;
    EXPECT_EQ(RunShell("grep -c 'tar -x' '" + Path("reached") + "'").output, "0\n") << "nothing is sent";

    const ProgramResult forced = Install("good", "--force --folder " + one.folder);
    EXPECT_EQ(forced.status, 0) << one.file << ": " << forced.errors;
    EXPECT_FALSE(fs::is_regular_file(file)) << one.file;
    EXPECT_EQ(RunShell((home() / one.folder / "bin/tandem-device").string()).status, 0) << one.file;
    fs::remove(Path("reached"));
    fs::remove_all(home() / one.folder);
  }
}

TEST_F(BoardsInstall, WhatAnInstallOfBeforeLeftIsReplaced) {
  fs::create_directories(home() / "td");  // empty
  fs::create_directories(home() / "td.new/lib");
  std::ofstream(home() / "td.new/.tandem-unpacking");  // the connection broke
  std::ofstream(home() / "td.new/lib/half.so") << "half of it";
  fs::create_directories(home() / "td.old/bin");
  std::ofstream(home() / "td.old/bin/tandem-device");
  const ProgramResult result = Install("good", "--folder td");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(RunShell("ls -A '" + home().string() + "' '" + (home() / "td").string() + "'").output,
            home().string() + ":\ntd\n\n" + (home() / "td").string() + ":\nbin\n");

  Archive("bad", "exit 1");
  EXPECT_EQ(Install("bad", "--folder td").status, 3);
  EXPECT_TRUE(fs::exists(home() / "td.new")) << "what could not be started";
  EXPECT_EQ(Install("good", "--folder td").status, 0);
}

TEST_F(BoardsInstall, AFolderWithAllThatArchivesBringIsOneOfBefore) {
  for (const char* file :
       {"bin/tandem-device", "bin/tandem-device.program", "lib/libdnnl.so.2", "own/libc.so.6",
        "include/tandem_device.h", "share/tandem/boards/a", "share/doc/bundled/a", "share/man/man1/a",
        "share/bash-completion/a", "share/zsh/a", "share/fish/a"}) {
    fs::create_directories((there() / file).parent_path());
    std::ofstream(there() / file) << "of before";
  }
  const ProgramResult result = Install("good");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_FALSE(fs::exists(there() / "own"));
}

TEST_F(BoardsInstall, AnotherReleaseIsSaid) {
  Archive("old", "echo tandem-device 0.0.7");
  const ProgramResult result = Install("old");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.errors.find("the board has tandem-device 0.0.7 now"), std::string::npos) << result.errors;
}

TEST_F(BoardsInstall, ABoardThatIsNotReachedIsNamed) {
  const ProgramResult result =
      RunTandem("boards install \"sh -c 'exit 255'\" --archive " + Path("good.tar.gz"));
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("is the board reached by that command?"), std::string::npos) << result.errors;
}

TEST_F(BoardsInstall, InterruptedItSaysSo) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const ProgramResult result = RunTandem("boards install \"sh -c 'kill -" + signal +
                                           " \\$PPID; exec sleep 60'\" --archive " + Path("good.tar.gz"));
    EXPECT_EQ(result.status, 130) << signal << ": " << result.errors;
    EXPECT_EQ(result.errors, "tandem boards install: interrupted; the same command begins anew\n") << signal;
  }
}

TEST_F(BoardsInstall, WithoutAnArchiveItIsSaidHowToMakeOne) {
  const ProgramResult result = RunShell(
      "cd '" + home().string() + "' && " TANDEM_PROGRAM " boards install \"sh " + Path("reach") + "\"");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("scripts/device_bundle "), std::string::npos) << result.errors;
}

TEST_F(BoardsInstall, AProcessorOf32BitsIsRefusedWithThePageThatSaysWhy) {
  fs::create_directories(folder_ / "tools");
  Write("tools/uname", "#!/bin/sh\necho armv7l\n");
  Write("old-board", "#!/bin/sh\nexport PATH='" + Path("tools") + "':$PATH\nexec sh -c \"$*\"\n");
  const ProgramResult result = RunTandem("boards install \"sh " + Path("old-board") + "\"");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("its processor is \"armv7l\", of 32 bits"), std::string::npos)
      << result.errors;
  EXPECT_NE(result.errors.find("docs/packages.md#32-bit-processors"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace tandem
