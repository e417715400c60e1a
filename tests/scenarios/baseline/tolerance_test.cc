// Is a tolerance understood, and nothing else taken for one?
#include "scenarios/baseline/tolerance.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Tolerances, ArePercentagesOrAmounts) {
  EXPECT_EQ(ParseTolerance("2%"), (Tolerance{2, true}));
  EXPECT_EQ(ParseTolerance("0.5%"), (Tolerance{0.5, true}));
  EXPECT_EQ(ParseTolerance("1000"), (Tolerance{1000, false}));
  EXPECT_EQ(ParseTolerance("0"), Tolerance());
}

TEST(Tolerances, OtherWordsAreNone) {
  for (const char* word : {"", "%", "-1", "+1", "1e3", "inf", "nan", "2 %", "2%%", "1.2.3", "two", "."}) {
    EXPECT_FALSE(ParseTolerance(word)) << word;
  }
}

TEST(Tolerances, CountOfTheFiguresSize) {
  EXPECT_DOUBLE_EQ((Tolerance{2, true}).Of(500), 10);
  EXPECT_DOUBLE_EQ((Tolerance{2, true}).Of(-500), 10) << "a gap may be below 0";
  EXPECT_DOUBLE_EQ((Tolerance{3, false}).Of(500), 3);
}

TEST(Tolerances, AreWrittenAsTheyAreRead) {
  for (const char* word : {"0", "2%", "0.5%", "1000", "12.25"}) EXPECT_EQ(ParseTolerance(word)->Text(), word);
}

}  // namespace
}  // namespace tandem
