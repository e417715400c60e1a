#include "tests/device/distant_backend.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tandem {
namespace {

constexpr std::uintptr_t kFarAway = std::uintptr_t{1} << 62;  // no address of the host's has that bit

bool IsFar(const float* at) { return (reinterpret_cast<std::uintptr_t>(at) & kFarAway) != 0; }
float* Near(const float* at) {
  return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(at) & ~kFarAway);
}

class FarMemory final : public TensorMemory {
 public:
  float* Allocate(std::size_t floats) override {
    return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(HostMemory().Allocate(floats)) |
                                    kFarAway);
  }
  void Free(float* at) noexcept override { HostMemory().Free(Near(at)); }
  bool HostReads() const override { return false; }
};

// Other host memory than the plain one.
class NearMemory final : public TensorMemory {
 public:
  float* Allocate(std::size_t floats) override { return HostMemory().Allocate(floats); }
  void Free(float* at) noexcept override { HostMemory().Free(at); }
  bool HostReads() const override { return true; }
};

FarMemory& Far() {
  static FarMemory memory;
  return memory;
}
NearMemory& Pinned() {
  static NearMemory memory;
  return memory;
}
NearMemory& Managed() {
  static NearMemory memory;
  return memory;
}

class DistantExecutable final : public Executable {
 public:
  DistantExecutable(const DistantBackend& backend, std::unique_ptr<Executable> inner)
      : backend_(&backend), inner_(std::move(inner)) {}

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    Follow(inputs, outputs);
    inner_->Run(reads_, writes_);
  }
  std::optional<Nanos> RunOnDeviceClock(std::span<const float* const> inputs,
                                        std::span<float* const> outputs) override {
    Run(inputs, outputs);
    return Nanos{100};
  }
  std::vector<ExecutionStep> Steps() const override { return inner_->Steps(); }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    Follow(inputs, outputs);
    inner_->RunTimed(reads_, writes_, ends);
  }

 private:
  void Follow(std::span<const float* const> inputs, std::span<float* const> outputs) {
    ++backend_->runs;
    if (!IsFar(inputs[0])) ++backend_->runs_mapped;
    reads_.assign(inputs.begin(), inputs.end());
    for (const float*& at : reads_) at = Near(at);
    writes_.assign(outputs.begin(), outputs.end());
    for (float*& at : writes_) at = Near(at);
  }

  const DistantBackend* backend_;
  std::unique_ptr<Executable> inner_;
  std::vector<const float*> reads_;
  std::vector<float*> writes_;
};

class DistantProcessor final : public Processor {
 public:
  DistantProcessor(const DistantBackend& backend, std::unique_ptr<Processor> inner)
      : backend_(&backend), inner_(std::move(inner)) {}

  TensorMemory& memory() override { return Far(); }
  TensorMemory& host_memory() override { return Pinned(); }
  TensorMemory* managed_memory() override { return backend_->has_managed ? &Managed() : nullptr; }
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    if (IsFar(to) && !IsFar(from)) ++backend_->copies_in;
    if (!IsFar(to) && IsFar(from)) ++backend_->copies_out;
    inner_->Copy(Near(to), Near(from), block);
  }
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return inner_->Groups(model);
  }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    return std::make_unique<DistantExecutable>(*backend_, inner_->Compile(spec));
  }

 private:
  const DistantBackend* backend_;
  std::unique_ptr<Processor> inner_;
};

}  // namespace

std::unique_ptr<Processor> DistantBackend::Open(const OpenRequest& request) const {
  if (request.variant.precision == "fp16") ++opened_fp16;
  Unit plain;
  plain.backend = Backend::kReference;
  return std::make_unique<DistantProcessor>(*this, BackendOf(plain, "tests").Open(request));
}

std::string DistantBoardJson(bool linked) {
  return std::string(R"({"name": "board", "memories": [{"name": "dram"}, {"name": "vram"}], )") +
         (linked ? R"("links": [{"from": "dram", "to": "vram", "latency_us": 10,
                   "bandwidth_bytes_per_s": 1000000000, "engine": true}], )"
                 : "") +
         R"("units": [{"name": "gpu", "kind": "gpu", "memory": "vram", "backend": "cuda", "device": 0},
                      {"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "reference"}]})";
}

}  // namespace tandem
