// How tensors come from one memory of the platform into another on the threads of a run.
#pragma once

#include <vector>

#include "device/harness/buffers.h"
#include "device/harness/units.h"
#include "device/processor/buffer.h"

namespace tandem {

// What one place copies.
struct TensorMove {
  Copier* first = nullptr;   // null: the host's code
  Copier* second = nullptr;  // not null: the first one goes to `between`
  float* between = nullptr;
  float* to = nullptr;
  const float* from = nullptr;
  const TensorBlock* block = nullptr;

  void Make() const;
};

class TensorMoves {
 public:
  // `units` is prepared for the problem. Allocates all that it needs.
  TensorMoves(const Problem& problem, const HarnessUnits& units);

  bool HostReads(MemoryId memory) const { return host_reads_[memory.index()] != 0; }
  // Does nothing come into that memory or out of it, so that copying is waiting?
  bool Emulated(MemoryId memory) const { return emulated_[memory.index()] != 0; }

  // For the place to make. Throws EnvironmentError where nothing copies between the two for it.
  TensorMove Between(std::size_t place, MemoryId from, MemoryId to);

 private:
  const Problem* problem_;
  const HarnessUnits* units_;
  std::vector<char> host_reads_, emulated_;  // per memory
  std::vector<Buffer> between_;              // per place, where memories of several units are in use
};

}  // namespace tandem
