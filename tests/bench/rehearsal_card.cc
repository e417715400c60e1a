// The backend "cuda" on a card that computes on the host: what scripts/gpu_check --rehearse starts instead of
// the real one. Nothing that it measures is of a card.
#include "device/backends/cuda/gpu/processor.h"
#include "device/processor/backend.h"
#include "tests/support/device/host_card.h"

namespace tandem {
namespace {

class RehearsalBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("cuda"); }

  BackendState Look(const HostInfo&, Platform& platform) const override {
    BackendState state;
    state.libraries.push_back({"cuDNN", "none: a rehearsal"});
    state.found.push_back("gpu0: no card, a rehearsal on the host");
    Unit unit;
    unit.name = "gpu0";
    unit.kind = UnitKind::kGpu;
    unit.backend = &about();
    unit.device = 0;
    unit.memory = MemoryId(platform.memories.size());
    platform.memories.push_back({unit.name, card_.info().memory_bytes, std::nullopt});
    Link link;
    link.from = MemoryId(0);
    link.to = unit.memory;
    link.bandwidth_bytes_per_s = 12e9;
    link.note = "made up for a rehearsal";
    platform.links.push_back(link);
    platform.units.push_back(std::move(unit));
    return state;
  }

  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    return gpu::OpenGpuUnit(card_, request);
  }
  std::unique_ptr<Copier> OpenCopier(const OpenRequest&) const override { return gpu::OpenGpuCopier(card_); }

 private:
  mutable gpu::HostCard card_{"rehearsal"};
};

const BackendRegistration kRehearsal{std::make_unique<RehearsalBackend>()};

}  // namespace
}  // namespace tandem
