// Work that feels what others do to the memory and caches: it reads on through memory and hops about in a
// part of the largest cache.
#pragma once

#include <cstdint>
#include <vector>

#include "device/processor/buffer.h"
#include "profiles/base/time.h"

namespace tandem {

class TrafficProbe {
 public:
  explicit TrafficProbe(std::vector<std::int64_t> cores);  // it runs on the first of them
  // The time of one round, a millisecond or a few; the calling thread may run where it could before after it.
  Nanos Run();
  // The thirty-second part of a round, for what does not last as long.
  Nanos Step();

 private:
  Nanos Read(std::size_t floats, std::size_t hops);

  Buffer stream_;
  std::vector<std::uint32_t> ring_;  // each entry says where the next one is
  std::int64_t core_;
  std::size_t at_ = 0;
  std::size_t hops_ = 0;  // since the ring's beginning
  std::uint32_t hop_ = 0;
};

}  // namespace tandem
