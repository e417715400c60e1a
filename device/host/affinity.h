// On which cores the calling thread runs.
#pragma once

#include <sched.h>

#include <cstdint>

namespace tandem {

// Lets the calling thread run on this core alone; false where that is not allowed.
bool PinToCore(std::int64_t core);

// Where the calling thread may run when this begins, it may run again when this ends.
class KeptAffinity {
 public:
  KeptAffinity();
  ~KeptAffinity();
  KeptAffinity(const KeptAffinity&) = delete;
  KeptAffinity& operator=(const KeptAffinity&) = delete;

 private:
  cpu_set_t set_{};
  bool known_;
};

}  // namespace tandem
