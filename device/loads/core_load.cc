#include "device/loads/core_load.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <system_error>

#include "device/host/affinity.h"
#include "device/host/clock.h"
#include "device/loads/duty_cycle.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr Nanos kBetweenLooks{20'000};

Nanos OwnProcessorTime() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + Nanos{time.tv_nsec};
}

}  // namespace

CoreLoad::CoreLoad(const std::vector<std::int64_t>& cores, std::int64_t load_pct)
    : cores_(cores.size()),
      begin_(SteadyNow()),
      used_(cores.size() * static_cast<std::size_t>(ThreadsForLoad(load_pct))) {
  const int on_each = ThreadsForLoad(load_pct);
  const double share = static_cast<double>(load_pct) / 100 / std::max(on_each, 1);
  try {
    for (std::size_t t = 0; t < used_.size(); ++t) {
      // Those on one core take turns, so that the load is spread over the period.
      const std::int64_t turn = static_cast<std::int64_t>(t) % on_each;
      const Nanos begin = begin_ + turn * kPeriod / on_each;
      const std::int64_t core = cores[t / static_cast<std::size_t>(on_each)];
      threads_.emplace_back([=, this] { Spin(core, share, begin, used_[t]); });
    }
  } catch (const std::system_error& error) {
    End();
    throw EnvironmentError(std::string("no thread for a load can be had: ") + error.what());
  }
  while (pinned_.load() < static_cast<int>(used_.size())) std::this_thread::yield();
  if (refused_.load() < 0) return;
  End();
  throw EnvironmentError("a load on core " + std::to_string(refused_.load()) +
                         " cannot be made: this process may not use it");
}

CoreLoad::~CoreLoad() { End(); }

void CoreLoad::End() {
  stop_.store(true);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

Nanos CoreLoad::used() const {
  std::int64_t sum = 0;
  for (const auto& used : used_) sum += used.load(std::memory_order_relaxed);
  return Nanos{sum};
}

Nanos CoreLoad::elapsed() const { return SteadyNow() - begin_; }

double CoreLoad::Share() const {
  const double all = static_cast<double>(elapsed().count()) * static_cast<double>(cores_);
  return all > 0 ? static_cast<double>(used().count()) / all : 0;
}

void CoreLoad::Spin(std::int64_t core, double share, Nanos begin, std::atomic<std::int64_t>& used) {
  if (!PinToCore(core)) refused_.store(core);
  pinned_.fetch_add(1);
  DutyCycle cycle(share, kPeriod, begin);
  while (!stop_.load(std::memory_order_relaxed)) {
    const Nanos own = OwnProcessorTime();
    used.store(own.count(), std::memory_order_relaxed);
    const Nanos now = SteadyNow();
    if (const auto until = cycle.SleepUntil(now, own)) {
      std::this_thread::sleep_for(*until - now);
      continue;
    }
    while (SteadyNow() - now < kBetweenLooks) {
    }
  }
}

}  // namespace tandem
