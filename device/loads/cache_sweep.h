// Empties the caches of some cores by reading through more memory than they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/processor/buffer.h"

namespace tandem {

class CacheSweep {
 public:
  // Reads twice the cores' largest cache. No cores: those of the calling thread. `other`: goes through the
  // same memory, where that is as large.
  explicit CacheSweep(std::vector<std::int64_t> cores, const CacheSweep* other = nullptr);
  // From each of the cores in turn; the thread may run where it could before when this returns.
  void Run();

 private:
  std::vector<std::int64_t> cores_;
  std::shared_ptr<Buffer> memory_;
  float sum_ = 0;  // so that nothing is optimised away
};

}  // namespace tandem
