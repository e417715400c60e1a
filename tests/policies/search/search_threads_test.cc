// Is everything that is asked of several threads done, once, and does the first failure come out?
#include "policies/search/search_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace tandem {
namespace {

TEST(SearchThreads, DoEverythingOnce) {
  for (const std::size_t threads : {1, 2, 5}) {
    SearchThreads crew(threads);
    EXPECT_EQ(crew.threads(), threads);
    for (std::size_t round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> done(round % 17);
      crew.Run(done.size(), [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(SearchThreads, ThrowWhatTheFirstByNumberHasThrownAndGoOn) {
  for (const std::size_t threads : {1, 3}) {
    SearchThreads crew(threads);
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

}  // namespace
}  // namespace tandem
