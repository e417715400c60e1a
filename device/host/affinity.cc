#include "device/host/affinity.h"

namespace tandem {

bool PinToCore(std::int64_t core) {
  if (core < 0 || core >= CPU_SETSIZE) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

KeptAffinity::KeptAffinity() : known_(sched_getaffinity(0, sizeof(set_), &set_) == 0) {}
KeptAffinity::~KeptAffinity() {
  if (known_) sched_setaffinity(0, sizeof(set_), &set_);
}

}  // namespace tandem
