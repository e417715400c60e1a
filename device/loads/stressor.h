// Traffic to memory of a known amount, from the cores of a unit that has nothing else to do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

class Stressor {
 public:
  // A thread on each of the cores, which together go through twice the largest cache. Throws EnvironmentError
  // where a thread cannot be had, std::bad_alloc where the memory cannot.
  explicit Stressor(const std::vector<std::int64_t>& cores);
  ~Stressor();
  Stressor(const Stressor&) = delete;
  Stressor& operator=(const Stressor&) = delete;

  // From now on so much traffic, as far as the cores get that far; infinity: as much as they can; 0: they
  // sleep.
  void Set(double bytes_per_s);
  // Bytes moved since the last Set, per second.
  double Achieved() const;

 private:
  void Work(std::int64_t core, std::size_t floats);
  void Stress(std::span<float> memory);
  double Pace() const { return pace_.load(std::memory_order_relaxed); }
  void End();

  std::atomic<double> pace_{0};  // bytes per second for one thread; negative: end
  std::atomic<std::int64_t> moved_{0};
  std::atomic<int> ready_{0};
  std::atomic<bool> short_of_memory_{false};
  std::int64_t moved_before_ = 0;
  std::chrono::steady_clock::time_point set_;
  std::vector<std::thread> threads_;
};

}  // namespace tandem
