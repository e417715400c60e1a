// Are lists of cores read as the kernel means them, and written in the same way?
#include "device/host/core_list.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"

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

TEST(CoreList, IsAskedForInNumbersAndRangesInAnyOrder) {
  EXPECT_EQ(AskedCores({"4-6", "0"}, "--cores"), (Cores{4, 5, 6, 0}));
  EXPECT_EQ(AskedCores({"0-6:2"}, "--cores"), (Cores{0, 2, 4, 6})) << "as taskset has it";
  EXPECT_EQ(AskedCores({}, "--cores"), Cores{});
}

TEST(CoreList, ThatIsAskedForIsReadWholeOrRefused) {
  for (const std::string none : {"x", "-1", "0-", "3-1", "0:2", "0-6:0", "1-2-3", "65536", "0-65536", " 1"}) {
    EXPECT_EQ(ErrorOf([&] {
                (void)AskedCores({"0", none}, "--cores");
              }),
              "--cores: expected cores such as 0,1 or 0-3, from 0 to 65535, found \"" + none + "\"");
  }
  EXPECT_EQ(ErrorOf([] { (void)AskedCores({"0-3", "2"}, "--cores"); }), "--cores: core 2 is named twice");
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
