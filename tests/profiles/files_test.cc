// Are files read whole, and what is no file refused in time?
#include "profiles/files.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace tandem {
namespace {

TEST(ReadTextFile, GivesUpSoonOnADeviceWithoutAnEnd) {
  EXPECT_EQ(ErrorOf([] { ReadTextFile("/dev/zero"); }),
            "/dev/zero: is larger than 16 MiB, the most that is read");
  EXPECT_EQ(ReadTextFile("/dev/null"), "");
}

}  // namespace
}  // namespace tandem
