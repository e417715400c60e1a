#include "device/profiler/bench/continuous_run.h"

#include <chrono>
#include <thread>

#include "device/host/clock.h"

namespace tandem {

ContinuousRun::ContinuousRun(UnitThread& thread, ProfiledChain& chain) : thread_(&thread) {
  passes_.parts = chain.size();
  thread.Begin([this, &chain](Processor&) {
    std::vector<Nanos> times(chain.size());
    while (!stop_.load()) {
      const Nanos begin = SteadyNow();
      try {
        chain.Run(times);
      } catch (...) {
        ended_.store(true);
        throw;
      }
      passes_.begins.push_back(begin);
      passes_.times.insert(passes_.times.end(), times.begin(), times.end());
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

void ContinuousRun::Await(std::size_t runs) const {
  while (!ended() && this->runs() < runs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

ChainPasses ContinuousRun::Stop() {
  if (waited_) return {};
  waited_ = true;
  stop_.store(true);
  thread_->Wait();
  if (passes_.size() < 3) return {passes_.parts, {}, {}};
  const auto parts = static_cast<std::ptrdiff_t>(passes_.parts);
  return {passes_.parts,
          {passes_.begins.begin() + 1, passes_.begins.end() - 1},
          {passes_.times.begin() + parts, passes_.times.end() - parts}};
}

}  // namespace tandem
