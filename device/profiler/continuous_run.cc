#include "device/profiler/continuous_run.h"

namespace tandem {

ContinuousRun::ContinuousRun(UnitThread& thread, ProfiledChain& chain) : thread_(&thread) {
  thread.Begin([this, &chain](Processor&) {
    while (!stop_.load()) {
      Nanos time{0};
      try {
        chain.Run(std::span(&time, 1));
      } catch (...) {
        ended_.store(true);
        throw;
      }
      times_.push_back(time);
      runs_.fetch_add(1);
    }
  });
}

ContinuousRun::~ContinuousRun() {
  try {
    (void)Stop();
  } catch (...) {  // whoever wanted to know has asked before
  }
}

std::vector<Nanos> ContinuousRun::Stop() {
  if (waited_) return {};
  waited_ = true;
  stop_.store(true);
  thread_->Wait();
  if (times_.size() < 3) return {};
  return {times_.begin() + 1, times_.end() - 1};
}

}  // namespace tandem
