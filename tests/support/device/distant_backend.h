// Units with a memory of their own that the host must not touch: the reference kernels behind addresses at
// which nothing lies. Whoever reads or writes there without the unit's help ends the program.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "device/harness/units.h"
#include "device/processor/backend.h"

namespace tandem {

class DistantMemory final : public TensorMemory {
 public:
  DistantMemory();
  ~DistantMemory() override;

  float* Allocate(std::size_t floats) override;
  void Free(float* at) noexcept override;
  bool HostReads() const override { return false; }

  // Where the numbers really lie; what is not of this memory stays as it is.
  float* Real(float* at) const { return const_cast<float*>(Real(static_cast<const float*>(at))); }
  const float* Real(const float* at) const;

  std::atomic<int> allocations{0}, in_use{0};

 private:
  std::mutex mutex_;
  float *shown_ = nullptr, *real_ = nullptr;
  std::size_t next_ = 0;  // floats
  std::map<std::size_t, std::vector<float*>> free_;
  std::map<float*, std::size_t> sizes_;
};

// The host's, told apart from what every program takes.
class PinnedMemory final : public TensorMemory {
 public:
  float* Allocate(std::size_t floats) override {
    ++allocations;
    return HostMemory().Allocate(floats);
  }
  void Free(float* at) noexcept override { HostMemory().Free(at); }
  bool HostReads() const override { return true; }
  std::atomic<int> allocations{0};
};

struct DistantCalls {
  std::atomic<int> copies{0}, beside{0};    // by the unit; by a copier of its own
  std::atomic<int> host_reads{0}, runs{0};  // inputs that kernels read where the host has them
  std::atomic<int> host_writes{0};
  bool copiers = true;                        // may others copy into it and out of it?
  std::function<void(int copy)> before_copy;  // from 1, of both kinds; may throw
};

class DistantBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("reference"); }
  BackendState Look(const HostInfo&, Platform&) const override { return {}; }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override;
  std::unique_ptr<Copier> OpenCopier(const OpenRequest& request) const override;

  DistantMemory& memory() const { return memory_; }
  PinnedMemory& pinned() const { return pinned_; }
  DistantCalls& calls() const { return calls_; }

 private:
  mutable DistantMemory memory_;
  mutable PinnedMemory pinned_;
  mutable DistantCalls calls_;
};

}  // namespace tandem
