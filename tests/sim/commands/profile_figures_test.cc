// Does `tandem profiles figures` show what a profile has?
#include <gtest/gtest.h>

#include "tests/support/program.h"

namespace tandem {
namespace {

TEST(ProfileFigures, TheCommandShowsAShippedBoard) {
  const ProgramResult result = RunTandem("profiles figures jetson-tx1");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("Share of convolutions"), std::string::npos);
  EXPECT_EQ(RunTandem("profiles figures tinker-edge-r").output,
            "The profile has no times of layers or groups, only of whole models.\n");
}

}  // namespace
}  // namespace tandem
