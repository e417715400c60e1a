// A model that one unit runs again and again while something else is measured.
#pragma once

#include <atomic>

#include "device/profiler/bench/profiled_chain.h"
#include "device/profiler/samples/chain_passes.h"
#include "device/threads/unit_thread.h"

namespace tandem {

class ContinuousRun {
 public:
  ContinuousRun(UnitThread& thread, ProfiledChain& chain);  // begins
  ~ContinuousRun();
  ContinuousRun(const ContinuousRun&) = delete;
  ContinuousRun& operator=(const ContinuousRun&) = delete;

  std::size_t runs() const { return runs_.load(); }
  bool ended() const { return ended_.load(); }  // a run failed
  void Await(std::size_t runs) const;           // so many of them, or that one fails
  // Ends after the run under way. All runs but the first and the last, which others may not have been beside
  // all along. Throws what a run threw.
  ChainPasses Stop();

 private:
  UnitThread* thread_;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> runs_{0};
  std::atomic<bool> ended_{false};
  ChainPasses passes_;
  bool waited_ = false;
};

}  // namespace tandem
