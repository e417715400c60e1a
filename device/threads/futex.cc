#include "device/threads/futex.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace tandem {
namespace {

static_assert(sizeof(std::atomic<int>) == sizeof(int));

void Wait(const std::atomic<int>& word, int expected, const timespec* date) {
  // The bit set makes the date an absolute one, by the monotonic clock, which is std::chrono's steady one.
  ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, date, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

void FutexWait(const std::atomic<int>& word, int expected) { Wait(word, expected, nullptr); }

void FutexWaitUntil(const std::atomic<int>& word, int expected, std::chrono::steady_clock::time_point date) {
  using std::chrono::nanoseconds;
  const auto since = std::chrono::duration_cast<nanoseconds>(date.time_since_epoch()).count();
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec until{};
  until.tv_sec = static_cast<std::time_t>(since / kSecond);
  until.tv_nsec = static_cast<long>(since % kSecond);
  Wait(word, expected, &until);
}

void FutexWakeAll(std::atomic<int>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void SleepPrecisely() { ::prctl(PR_SET_TIMERSLACK, 1UL); }

}  // namespace tandem
