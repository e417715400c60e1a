// Is a state of the clocks held to what it read, and not to what the heat makes of that?
#include "device/profiler/reached_state.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class ReachedStateTest : public ::testing::Test {
 protected:
  void Set(const std::string& most_khz, int cooling) {
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil");
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "800000");
    Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", most_khz);
    Write("sys/class/thermal/cooling_device0/type", "thermal-cpufreq-0");
    Write("sys/class/thermal/cooling_device0/cur_state", std::to_string(cooling));
  }
  ReachedState Reach(const std::map<std::string, std::string>& others = {}) {
    return ReachedState({.name = "state", .before = "", .read = "", .expect = ""}, {0}, others, root_);
  }
  static std::string ComplaintOf(const ReachedState& state) {
    try {
      state.CheckStill();
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "no complaint";
  }
  void Write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    WriteFile(root_ / path, text + "\n");
  }

  TempFolder root_;
};

TEST_F(ReachedStateTest, IsLeftWhereSomebodySetsTheClocksOtherwise) {
  Set("2445000", 0);
  const ReachedState state = Reach();
  state.CheckStill();
  Set("1008000", 0);
  EXPECT_EQ(
      ComplaintOf(state),
      "clock state \"state\": reads \"cpu0: schedutil, 800 to 1008 MHz\" now and was \"cpu0: schedutil, "
      "800 to 2445 MHz\" before; what was measured meanwhile is of neither and is not kept");
}

TEST_F(ReachedStateTest, IsNotLeftWhileTheHeatHoldsClocksBack) {
  Set("2445000", 0);
  const ReachedState state = Reach();
  Set("1008000", 3);
  EXPECT_NO_THROW(state.CheckStill());
  Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  EXPECT_THROW(state.CheckStill(), EnvironmentError) << "no heat sets that";
}

TEST_F(ReachedStateTest, ThatWasReachedInTheHeatIsTheSameWhenItIsCool) {
  Set("1008000", 3);
  const ReachedState state = Reach();
  EXPECT_EQ(state.reading(), "cpu0: schedutil, 800 to 1008 MHz while held back");
  Set("2445000", 0);
  EXPECT_NO_THROW(state.CheckStill());
}

TEST_F(ReachedStateTest, ThatTurnsOutToBeAnotherWhenItIsCoolWasNotReached) {
  Set("1008000", 3);
  const ReachedState state = Reach({{"fast", "cpu0: schedutil, 800 to 2445 MHz"}});
  Set("2445000", 0);
  EXPECT_EQ(ComplaintOf(state),
            "clock state \"state\": reads \"cpu0: schedutil, 800 to 2445 MHz\", as the state \"fast\" does: "
            "one of the two was not reached, or this tells too little");
}

}  // namespace
}  // namespace tandem
