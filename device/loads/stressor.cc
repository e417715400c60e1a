#include "device/loads/stressor.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "device/host/affinity.h"
#include "device/host/caches.h"
#include "device/processor/buffer.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFloatsAtOnce = 4096;  // 16 KiB of each of three lists
constexpr std::int64_t kListsMoved = 3;      // two are read, one is written
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::milliseconds kForgiven{1};  // what is later than this is not made up for

// The lists of one thread, one behind the other.
void Move(std::span<float> memory, std::size_t at) {
  const std::size_t third = memory.size() / kListsMoved;
  float* to = memory.data() + at;
  const float* a = to + third;
  const float* b = a + third;
  for (std::size_t i = 0; i < kFloatsAtOnce; ++i) to[i] = a[i] + 0.5F * b[i];
}

}  // namespace

Stressor::Stressor(const std::vector<std::int64_t>& cores) {
  const auto floats = static_cast<std::size_t>(2 * CacheThatCounts(cores)) / sizeof(float) / cores.size();
  const std::size_t each = std::max(floats, kListsMoved * kFloatsAtOnce);
  try {
    for (const std::int64_t core : cores) threads_.emplace_back([=, this] { Work(core, each); });
  } catch (const std::system_error& error) {
    End();
    throw EnvironmentError(std::string("no thread for a stressor can be had: ") + error.what());
  }
  while (ready_.load() < static_cast<int>(cores.size())) std::this_thread::sleep_for(kNap);
  if (!short_of_memory_) return;
  End();
  throw std::bad_alloc();
}

Stressor::~Stressor() { End(); }

void Stressor::End() {
  pace_.store(-1);
  pace_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Stressor::Set(double bytes_per_s) {
  const auto threads = static_cast<double>(threads_.size());
  moved_before_ = moved_.load();
  set_ = Clock::now();
  pace_.store(bytes_per_s / threads);
  pace_.notify_all();
}

double Stressor::Achieved() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - set_).count();
  return seconds > 0 ? static_cast<double>(moved_.load() - moved_before_) / seconds : 0;
}

void Stressor::Work(std::int64_t core, std::size_t floats) {
  PinToCore(core);
  Buffer memory;
  try {
    memory = Buffer(floats);  // here, so that it is near the core
  } catch (const std::bad_alloc&) {
    short_of_memory_ = true;
  }
  ready_.fetch_add(1);
  if (memory.size() == floats) Stress(memory.values());
}

void Stressor::Stress(std::span<float> memory) {
  const std::size_t third = memory.size() / kListsMoved;
  std::size_t at = 0;
  auto due = Clock::now();
  for (;;) {
    const double pace = Pace();
    if (pace < 0) return;
    if (pace == 0) {
      pace_.wait(0);  // napping would slow whatever else the core does by a tenth and more
      due = Clock::now();
      continue;
    }
    if (at + kFloatsAtOnce > third) at = 0;
    Move(memory, at);
    at += kFloatsAtOnce;
    constexpr auto kBytes = static_cast<std::int64_t>(kFloatsAtOnce * sizeof(float)) * kListsMoved;
    moved_.fetch_add(kBytes, std::memory_order_relaxed);
    if (pace == std::numeric_limits<double>::infinity()) continue;
    due += std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * static_cast<double>(kBytes) / pace));
    due = std::max(due, Clock::now() - kForgiven);
    while (Clock::now() < due && Pace() == pace) {
    }
  }
}

}  // namespace tandem
