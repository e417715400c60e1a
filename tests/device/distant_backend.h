// A unit with a memory of its own, as a card has: the reference kernels behind pointers that the host cannot
// follow. It stands in for the backend "cuda" while an object of this lives.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "device/backend.h"

namespace tandem {

class DistantBackend final : public DeviceBackend {
 public:
  DistantBackend() : stand_in_(*this) {}

  std::string_view name() const override { return "cuda"; }
  BackendState Look(const HostInfo&, Platform&) const override { return {}; }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override;
  std::unique_ptr<Copier> OpenCopier(const OpenRequest& request) const override { return Open(request); }
  std::vector<std::string> Precisions() const override { return {"fp32", "fp16"}; }

  bool has_managed = true;
  // What happened so far.
  mutable std::atomic<std::int64_t> copies_in{0}, copies_out{0}, runs{0}, runs_mapped{0}, opened_fp16{0};

 private:
  BackendStandIn stand_in_;
};

// `{"name": "gpu", ...}` on a memory "vram" that a link joins to "dram", and a plain unit "cpu".
std::string DistantBoardJson(bool linked = true);

}  // namespace tandem
