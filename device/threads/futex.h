// Threads that wait for a word to change, until a date at most.
#pragma once

#include <atomic>
#include <chrono>

namespace tandem {

// Comes back when the word was not `expected` (any more), when it is woken, or at the date; now and then for
// no reason.
void FutexWait(const std::atomic<int>& word, int expected);
void FutexWaitUntil(const std::atomic<int>& word, int expected, std::chrono::steady_clock::time_point date);
void FutexWakeAll(std::atomic<int>& word);

// From now on this thread's sleeps end when they should, not up to 50 us later so that the system can gather
// wake-ups.
void SleepPrecisely();

// Tells the processor that this loop only waits for another one.
inline void SpinPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

}  // namespace tandem
