// Are files read whole, and what is no file refused in time?
#include "profiles/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "profiles/base/input_error.h"
#include "profiles/base/unfinished_folder.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(ReadTextFile, GivesUpSoonOnADeviceWithoutAnEnd) {
  EXPECT_EQ(ErrorOf([] { ReadTextFile("/dev/zero"); }),
            "/dev/zero: is larger than 16 MiB, the most that is read");
  EXPECT_EQ(ReadTextFile("/dev/null"), "");
}

TEST(BaseName, IsWhatFollowsTheFolders) {
  EXPECT_EQ(BaseName("/tmp/a/net.onnx"), "net.onnx");
  EXPECT_EQ(BaseName("./net.onnx"), "net.onnx");
  EXPECT_EQ(BaseName("squeezenet_1_1"), "squeezenet_1_1");
  EXPECT_EQ(BaseName("folder/"), "folder/");
}

TEST(ResolvePath, AMinusInAFileIsNoStandardStream) {
  EXPECT_TRUE(IsStandardStream("-"));
  EXPECT_EQ(ResolvePath("-", ""), "-");
  EXPECT_EQ(ResolvePath("-", "s.json"), "./-");
  EXPECT_FALSE(IsStandardStream(ResolvePath("-", "folder/s.json")));
  EXPECT_EQ(NameOfInput("-"), "(standard input)");
  EXPECT_EQ(NameOfInput("x.json"), "x.json");
}

TEST(FileToRead, AFileNamesNoDeviceAndNoPipe) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder / "link");
  const fs::path from = folder / "s.json";
  const auto error = [&](const std::string& name) { return ErrorOf([&] { FileToRead(name, from); }); };
  const std::string what =
      ": is a device or a pipe, which may have no end: only the command line can name one; put what it says "
      "into a file";
  EXPECT_EQ(error("pipe"), (folder / "pipe").string() + what);
  EXPECT_EQ(error("link"), (folder / "link").string() + what);
  EXPECT_EQ(error("/dev/zero"), "/dev/zero" + what);
  EXPECT_EQ(FileToRead((folder / "pipe").string(), ""), folder / "pipe") << "on the command line";
  EXPECT_EQ(FileToRead("none.json", from), folder / "none.json")
      << "whoever reads it says that it is not there";
  EXPECT_EQ(FileToRead(".", from), folder / ".");
}

TEST(FileToRead, WhatAFileNamesIsNotQuoted) {
  EXPECT_TRUE(MayBeQuoted("asked for/a.json"));
  FileToRead("named.json", "asked for/a.json");
  EXPECT_FALSE(MayBeQuoted("asked for/named.json"));
  FileToRead("asked for/a.json", "");
  EXPECT_TRUE(MayBeQuoted("asked for/a.json"));
}

TEST(FileWriter, WritesToStandardOutputWhatIsCalledMinus) {
  testing::internal::CaptureStdout();
  WriteFile("-", "a plan\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a plan\n");
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(FileWriter, WritesWhatALinkLeadsTo) {
  const TempFolder folder;
  fs::create_directories(folder / "far");
  WriteFile(folder / "far/old.json", "old");
  fs::create_symlink("far/old.json", folder / "link.json");
  fs::create_symlink(folder / "link.json", folder / "link of a link.json");
  fs::create_symlink("far/new.json", folder / "dangling.json");
  WriteFile(folder / "link of a link.json", "new");
  EXPECT_EQ(ReadTextFile(folder / "far/old.json"), "new");
  WriteFile(folder / "dangling.json", "there now");
  EXPECT_EQ(ReadTextFile(folder / "far/new.json"), "there now");
  for (const char* link : {"link.json", "link of a link.json", "dangling.json"}) {
    EXPECT_TRUE(fs::is_symlink(folder / link)) << link;
  }
  const auto files = [](const fs::path& of) {
    return std::distance(fs::directory_iterator(of), fs::directory_iterator());
  };
  EXPECT_EQ(files(folder), 4);
  EXPECT_EQ(files(folder / "far"), 2) << "nothing temporary is left";
}

TEST(FileWriter, ReplacesWhatALinkLeadsToAsAWhole) {
  const TempFolder folder;
  WriteFile(folder / "file.json", "old");
  fs::create_symlink("file.json", folder / "link.json");
  {
    FileWriter writer(folder / "link.json");
    writer.Append("half of");
    writer.Flush();
    EXPECT_EQ(ReadTextFile(folder / "file.json"), "old");
  }
  EXPECT_EQ(ReadTextFile(folder / "file.json"), "old") << "it was never committed";
}

TEST(FileWriter, RemovesWhatIsUnfinishedWhenASignalEndsTheProgram) {
  const TempFolder folder;
  FileWriter one(folder / "one.json"), two(folder / "two.json");
  WriteFile(folder / "done.json", "done");
  one.Append("half");
  one.Flush();
  RemoveUnfinishedFiles();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "done.json";
}

// In a folder that others may write into: they know the process's number.
TEST(FileWriter, WritesThroughNoLinkAtItsTemporaryName) {
  const TempFolder folder;
  const fs::path victim = folder / "victim", out = folder / "out";
  const fs::path temporary = out.string() + ".part" + std::to_string(::getpid());
  WriteFile(victim, "theirs");
  fs::create_symlink(victim, temporary);
  WriteFile(out, "ours");
  EXPECT_EQ(ReadTextFile(victim), "theirs");
  EXPECT_EQ(ReadTextFile(out), "ours");
  EXPECT_FALSE(fs::is_symlink(out));
  std::ofstream(temporary) << "of a killed process that had this number";
  WriteFile(out, "new");
  EXPECT_EQ(ReadTextFile(out), "new");
  EXPECT_FALSE(fs::exists(fs::symlink_status(temporary)));
}

TEST(FileWriter, KeepsTheModeOfWhatItReplaces) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  const fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
  WriteFile(out, "old");
  fs::permissions(out, own);
  FileWriter writer(out);
  EXPECT_EQ(fs::status(out.string() + ".part" + std::to_string(::getpid())).permissions(), own);
  writer.Append("new");
  writer.Commit();
  EXPECT_EQ(ReadTextFile(out), "new");
  EXPECT_EQ(fs::status(out).permissions(), own);
}

TEST(UnfinishedFolder, IsNoneThatIsThereOrALinkLeadsTo) {
  const TempFolder folder;
  const fs::path victim = folder / "victim", part = folder / "out.part1";
  fs::create_directory(victim);
  WriteFile(victim / "theirs", "theirs");
  fs::create_directory_symlink(victim, part);
  for (const fs::path& taken : {part, victim})
    EXPECT_THROW(const UnfinishedFolder unfinished(taken), EnvironmentError);
  EXPECT_EQ(ReadTextFile(victim / "theirs"), "theirs");
  const UnfinishedFolder unfinished(folder / "above" / "out.part1");
  EXPECT_TRUE(fs::is_directory(unfinished.path()));
}

TEST(WayTo, LeadsFromWhereTheFileIsWritten) {
  const TempFolder folder;
  fs::create_directories(folder / "a/b");
  fs::create_directory_symlink("a/b", folder / "deep");
  fs::create_symlink("a/b/far.json", folder / "link.json");
  const fs::path file = folder / "board.json";
  EXPECT_EQ(WayTo(file, folder / "p.json"), "board.json");
  EXPECT_EQ(WayTo(file, folder / "a/p.json"), "../board.json");
  EXPECT_EQ(WayTo(file, folder / "none/p.json"), "../board.json") << "a folder that is not there yet";
  EXPECT_EQ(WayTo(file, folder / "deep/p.json"), "../../board.json") << "as the system follows ..";
  EXPECT_EQ(WayTo(file, folder / "link.json"), fs::canonical(folder) / "board.json")
      << "read from two places";
}

TEST(FileWriter, SaysWhyItCannotWrite) {
  const TempFolder folder;
  fs::create_symlink("round.json", folder / "round.json");
  const auto write = [](const std::string& path, std::size_t bytes) {
    try {
      WriteFile(path, std::string(bytes, 'x'));
    } catch (const EnvironmentError& error) {
      return std::string(error.what());
    }
    return std::string("written");
  };
  EXPECT_EQ(write("/nowhere/at/all.json", 1),
            "/nowhere/at/all.json: cannot be written: No such file or directory");
  EXPECT_EQ(write("/dev/full", 1), "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(write("/dev/null", 1 << 20), "written");
  const std::string round = (folder / "round.json").string();
  EXPECT_EQ(write(round, 1), round + ": cannot be written: Too many levels of symbolic links");
}

}  // namespace
}  // namespace tandem
