// Does colour stand beside words that say the same, and nowhere else?
#include "profiles/program/color.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Color, TheBestOfATableAndWhatIsWrongStandOut) {
  EXPECT_EQ(Colored("  fcfs  4\n* eft   3\n"), "  fcfs  4\n\033[1;32m* eft   3\033[0m\n");
  EXPECT_EQ(Colored("fcfs  outside   3\n"), "fcfs  \033[1;31moutside\033[0m   3\n");
  EXPECT_EQ(Colored("worse  p99"), "\033[1;31mworse\033[0m  p99");
}

TEST(Color, SentencesStayPlain) {
  for (const char* text : {"what is outside of it is wrong\n", "a bar * 2\n", "", "\n", "outsider  5\n"}) {
    EXPECT_EQ(Colored(text), text);
  }
}

TEST(Color, IsWantedWhereItIsAskedFor) {
  EXPECT_TRUE(ColorsWanted("always"));
  EXPECT_FALSE(ColorsWanted("never"));
}

}  // namespace
}  // namespace tandem
