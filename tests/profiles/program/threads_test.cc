// Is everything that is asked of several threads done, once, and does the first failure come out?
#include "profiles/program/threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/support/sanitized.h"

namespace tandem {
namespace {

TEST(Threads, DoEverythingOnce) {
  for (const std::size_t threads : {1, 2, 5}) {
    Threads crew(threads);
    EXPECT_EQ(crew.threads(), threads);
    for (std::size_t round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> done(round % 17);
      crew.Run(done.size(), [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Threads, ThrowWhatTheFirstByNumberHasThrownAndGoOn) {
  for (const std::size_t threads : {1, 3}) {
    Threads crew(threads);
    std::atomic<int> done = 0;
    const auto odd_ones_fail = [&](std::size_t i) {
      ++done;
      if (i % 2 == 1) throw std::runtime_error(std::to_string(i));
    };
    try {
      crew.Run(8, odd_ones_fail);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "1");
    }
    EXPECT_EQ(done, 8);
    crew.Run(3, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 11);
  }
}

// In a process of its own, which has room for the stacks of a few threads more: 0 where all is done all the
// same.
[[noreturn]] void AskForMoreThanThereIsRoomFor() {
  constexpr unsigned kPatience = 20;
  constexpr std::size_t kAsked = 4096, kToDo = 100;
  ::alarm(kPatience);  // who waits for ever is ended by it
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t room = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
  const rlimit limit = {room, room};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
  std::atomic<std::size_t> done = 0;
  {
    Threads crew(kAsked);
    if (crew.threads() == kAsked) std::_Exit(3);
    crew.Run(kToDo, [&](std::size_t) { ++done; });
  }
  std::_Exit(done == kToDo ? 0 : 1);
}

TEST(Threads, AreFewerWhereTheSystemHasNoMore) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs memory of its own for each thread, and ends without";
  EXPECT_EXIT(AskForMoreThanThereIsRoomFor(), ::testing::ExitedWithCode(0), "");
}

TEST(Threads, AskBetweenPortionsWhetherToGoOn) {
  for (const std::size_t threads : {1, 3}) {
    Threads crew(threads);
    std::vector<std::atomic<int>> done(100);
    std::vector<std::size_t> asked;
    const auto take = [&](std::size_t i) { ++done[i]; };
    EXPECT_TRUE(crew.Run(done.size(), take, [&](std::size_t so_far) {
      for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], i < so_far ? 1 : 0);
      asked.push_back(so_far);
      return true;
    }));
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    EXPECT_EQ(asked.front(), 0U);
    EXPECT_GT(asked.size(), 3U);

    std::atomic<std::size_t> begun = 0;
    EXPECT_FALSE(crew.Run(
        100, [&](std::size_t) { ++begun; }, [](std::size_t so_far) { return so_far == 0; }));
    EXPECT_GT(begun, 0U);
    EXPECT_LT(begun, 100U);
  }
}

}  // namespace
}  // namespace tandem
