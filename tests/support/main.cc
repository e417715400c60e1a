#include <gtest/gtest.h>

#include <csignal>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // A shell starts what runs in the background with Ctrl-C ignored, and programs that tests start would
  // inherit that.
  std::signal(SIGINT, SIG_DFL);
  return RUN_ALL_TESTS();
}
