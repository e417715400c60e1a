#include "profiles/program/cores.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace tandem {
namespace {

std::atomic<bool> one_core = false;

}  // namespace

std::size_t CoresToUse() {
  if (one_core) return 1;
#ifdef __linux__
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return static_cast<std::size_t>(CPU_COUNT(&cores));
#endif
  return std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

void UseOneCore() { one_core = true; }

}  // namespace tandem
