// The distant unit of the tests with what a card has beside it: two precisions, managed memory, a clock of
// its own, a word on what its memory has free. It runs the units that are called "gpu".
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/device/distant_backend.h"

namespace tandem {

class MeasuredCard final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override {
    static const BackendDeclaration card = {.name = "card", .precisions = {"fp32", "fp16"}};
    return card;
  }
  BackendState Look(const HostInfo&, Platform&) const override { return {}; }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override;

  FindBackend Found() const;
  DistantCalls& calls() const { return distant_.calls(); }

  bool has_managed = true;
  mutable std::atomic<int> opened_in_fp16{0};

 private:
  DistantBackend distant_;
  mutable PinnedMemory managed_;
};

// A unit "gpu" that works from a memory "vram", joined to "dram" by a link or not, and a plain unit "cpu".
std::string BoardWithCardJson(bool linked = true);

}  // namespace tandem
