// Are files read whole, and what is no file refused in time?
#include "profiles/base/files.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

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

TEST(FileWriter, WritesToStandardOutputWhatIsCalledMinus) {
  testing::internal::CaptureStdout();
  WriteFile("-", "a plan\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a plan\n");
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(FileWriter, SaysWhyItCannotWrite) {
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
}

}  // namespace
}  // namespace tandem
