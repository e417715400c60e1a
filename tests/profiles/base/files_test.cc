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
