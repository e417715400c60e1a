// Is what others take of the time told apart from what a thread does itself?
#include "device/host/taken_time.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

constexpr std::array<std::int64_t, 2> kCores = {1, 11};

class TakenTimeTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  TempFolder root_;
};

TEST(OwnTime, LeavesOutWhatOthersHad) {
  EXPECT_EQ(OwnTime(Nanos{5'000'000}, Nanos{1'000'700}), Nanos{1'000'700});
  EXPECT_EQ(OwnTime(Nanos{1'000'000}, Nanos{1'000'700}), Nanos{1'000'000}) << "reading the clock is in it";
}

TEST(ThreadTime, GoesOnWhileTheThreadWorks) {
  const Nanos before = ThreadTimeNow();
  while (ThreadTimeNow() == before) {
  }
  EXPECT_GT(ThreadTimeNow(), before);
}

TEST_F(TakenTimeTest, TheHostsShareIsThatOfTheCoresAskedFor) {
  EXPECT_FALSE(StolenFrom(kCores, root_ / "")) << "nothing is told";
  Write("proc/stat",
        "cpu  9 9 9 9 9 9 9 900 0 0\ncpu0 1 1 1 1 1 1 1 100 0 0\ncpu1 1 1 1 1 1 1 1 3 0 0\n"
        "cpu11 1 1 1 1 1 1 1 4 0 0\nintr 12\n");
  const Nanos tick{1'000'000'000 / sysconf(_SC_CLK_TCK)};
  EXPECT_EQ(StolenFrom(kCores, root_ / ""), 7 * tick);
  EXPECT_EQ(BusyOn(kCores, root_ / ""), (7 + 2 * 5) * tick) << "but for idle and iowait";
  Write("proc/stat", "cpu1 1 1 1 1\n");
  EXPECT_FALSE(StolenFrom(kCores, root_ / "")) << "an old kernel tells no such thing";
}

TEST(ProcessTime, IsThatOfAProcessWhichIsThere) {
  EXPECT_GT(ProcessTime(getpid()), Nanos{0});
  EXPECT_FALSE(ProcessTime((1 << 22) + 5)) << "no process has that number";
}

TEST_F(TakenTimeTest, AThreadThatWaitsForACoreIsHeldUpByOthers) {
  Write("proc/self/task/7/schedstat", "1000 250 3\n");
  Write("proc/self/task/8/schedstat", "1000 50 3\n");
  EXPECT_EQ(WaitedForCore(7, root_ / ""), Nanos{250});
  EXPECT_FALSE(WaitedForCore(9, root_ / ""));
  const std::array<pid_t, 3> threads = {7, 8, 9};
  const TakenReading reading = ReadTaken(kCores, threads, root_ / "");
  EXPECT_EQ(reading.waited, Nanos{300});
  EXPECT_FALSE(reading.stolen);
}

TEST(ShareTaken, IsOfTheTimeOfAllCores) {
  const TakenReading before{Nanos{1000}, Nanos{10}, Nanos{20}}, after{Nanos{2000}, Nanos{40}, Nanos{90}};
  EXPECT_DOUBLE_EQ(ShareTaken(before, after, 2).value_or(0), 0.05);
  EXPECT_DOUBLE_EQ(ShareTaken({Nanos{1000}, Nanos{10}, {}}, after, 1).value_or(0), 0.03);
  EXPECT_FALSE(ShareTaken({Nanos{1000}, {}, {}}, after, 2)) << "nothing tells";
  EXPECT_FALSE(ShareTaken(before, after, 0));
}

TEST(ShareTaken, OfOthersIsToldButForTwoTicks) {
  const auto reading = [](std::int64_t ms, std::int64_t others) {
    return TakenReading{Nanos{ms * 1'000'000}, {}, Nanos{ms}, Nanos{others * 1'000'000}};
  };
  EXPECT_DOUBLE_EQ(ShareOfOthers(reading(0, 5), reading(1000, 125), 2).value_or(-1), 0.05);
  EXPECT_EQ(ShareOfOthers(reading(0, 5), reading(1000, 20), 2), 0.0);
  EXPECT_EQ(ShareOfOthers(reading(0, 5), reading(1000, 0), 2), 0.0) << "ticks that are told late";
  EXPECT_FALSE(ShareOfOthers(reading(0, 5), {Nanos{1'000'000'000}, Nanos{7}, Nanos{9}}, 2))
      << "nothing tells";
  EXPECT_FALSE(ShareOfOthers(reading(0, 5), reading(1000, 125), 0));
}

}  // namespace
}  // namespace tandem
