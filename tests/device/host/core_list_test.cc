// Are lists of cores read as the kernel means them, and written in the same way?
#include "device/host/core_list.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Cores = std::vector<std::int64_t>;

TEST(CoreList, IsOfNumbersAndRanges) {
  EXPECT_EQ(ReadCoreList("0-3,8"), (Cores{0, 1, 2, 3, 8}));
  EXPECT_EQ(ReadCoreList("5"), Cores{5});
  EXPECT_EQ(ReadCoreList("4,0-1,1"), (Cores{0, 1, 4})) << "ascending, each once";
  EXPECT_EQ(ReadCoreList(""), Cores{});
}

TEST(CoreList, PassesOverWhatIsNone) {
  EXPECT_EQ(ReadCoreList("x-,,-7,99999999999999999999-0,3-1,2"), Cores{2});
  EXPECT_EQ(ReadCoreList("0-99999999999"), Cores{}) << "no board has so many";
}

TEST(CoreList, IsWrittenInRanges) {
  EXPECT_EQ(CoreListText(Cores{0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(CoreListText(Cores{0, 1}), "0-1");
  EXPECT_EQ(CoreListText(Cores{7}), "7");
  EXPECT_EQ(CoreListText(Cores{}), "");
}

TEST(CoreList, AMaskIsReadFromItsLowestWord) {
  EXPECT_EQ(ReadCoreMask("c"), (Cores{2, 3}));
  EXPECT_EQ(ReadCoreMask("00000001,80000000"), (Cores{31, 32}));
  EXPECT_EQ(ReadCoreMask("0,00000003"), (Cores{0, 1}));
  for (const char* none : {"", "x", "3,", "100000000", "3 4"})
    EXPECT_TRUE(ReadCoreMask(none).empty()) << none;
}

}  // namespace
}  // namespace tandem
