// Does anybody go by the wall clock, which may jump by hours? All waiting, measuring and timing out is by the
// steady one; scripts/stress runs the library while the other one jumps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>

#include "tests/house/text_of.h"

namespace {
namespace fs = std::filesystem;

bool LooksAtTheWallClock(const std::string& text) {
  constexpr std::array kLooks = {"system_clock", "utc_clock",  "CLOCK_REALTIME",
                                 "gettimeofday", "std::time(", " time(nullptr)"};
  return std::any_of(kLooks.begin(), kLooks.end(),
                     [&](const char* look) { return text.find(look) != std::string::npos; });
}

TEST(WallClock, IsForTheDateOfAProfileAlone) {
  const fs::path root = fs::path(TANDEM_TEST_DIR).parent_path();
  std::set<std::string> looking;
  for (const char* folder : {"profiles", "scenarios", "policies", "sim", "device"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string kind = entry.path().extension();
      if (kind != ".cc" && kind != ".h" && kind != ".cu") continue;
      if (LooksAtTheWallClock(TextOf(entry.path())))
        looking.insert(entry.path().lexically_relative(root).generic_string());
    }
  }
  EXPECT_EQ(looking, std::set<std::string>{"device/processor/provenance.cc"});
}

TEST(WallClock, IsFoundHoweverItIsAsked) {
  EXPECT_TRUE(LooksAtTheWallClock("std::chrono::system_clock::now()"));
  EXPECT_TRUE(LooksAtTheWallClock("::clock_gettime(CLOCK_REALTIME, &now)"));
  EXPECT_TRUE(LooksAtTheWallClock("const std::time_t now = std::time(nullptr);"));
  EXPECT_FALSE(LooksAtTheWallClock("std::chrono::steady_clock::now(); load_time(0)"));
}

}  // namespace
