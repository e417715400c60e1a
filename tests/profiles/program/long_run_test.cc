// Is the time that a long run still takes told as people read it?
#include "profiles/program/long_run.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(TheTimeLeft, IsAsLongForWhatIsToComeAsForWhatIsDone) {
  using std::chrono::seconds;
  EXPECT_EQ(TimeLeft(seconds(10), 1, 3), ", 0:20 left");
  EXPECT_EQ(TimeLeft(seconds(60), 2, 7), ", 2:30 left");
  EXPECT_EQ(TimeLeft(seconds(3600), 10, 25), ", 1:30:00 left");
}

TEST(TheTimeLeft, IsUnknownBeforeTheFirstAndNothingAfterTheLast) {
  EXPECT_EQ(TimeLeft(std::chrono::seconds(5), 0, 3), "");
  EXPECT_EQ(TimeLeft(std::chrono::seconds(5), 3, 3), "");
}

}  // namespace
}  // namespace tandem
