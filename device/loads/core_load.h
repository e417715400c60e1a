// A load on some cores, as another program would be one: threads that compute for a part of every 10 ms.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "device/processor/running_load.h"

namespace tandem {

class CoreLoad final : public RunningLoad {
 public:
  static constexpr Nanos kPeriod = kLoadPeriod;

  // Takes `load_pct` (0..99) percent of each core from now on, as long as this is there. Its threads are
  // pinned and have the priority of the one that calls; they use no memory to speak of. Throws
  // EnvironmentError where a core may not be used or a thread cannot be had.
  CoreLoad(const std::vector<std::int64_t>& cores, std::int64_t load_pct);
  ~CoreLoad() override;
  CoreLoad(const CoreLoad&) = delete;
  CoreLoad& operator=(const CoreLoad&) = delete;

  Nanos used() const;  // processor time of all its threads
  Nanos elapsed() const override;
  double Share() const override;

 private:
  void Spin(std::int64_t core, double share, Nanos begin, std::atomic<std::int64_t>& used);
  void End();

  std::size_t cores_;
  Nanos begin_;
  std::atomic<bool> stop_{false};
  std::atomic<int> pinned_{0};
  std::atomic<std::int64_t> refused_{-1};        // a core that may not be used
  std::vector<std::atomic<std::int64_t>> used_;  // per thread
  std::vector<std::thread> threads_;
};

}  // namespace tandem
