#include "device/backends/cuda/gpu/context.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tandem::gpu {

GpuContext::GpuContext(Card& card, std::string unit, Element element, Math math, int urgency,
                       GpuOptions options)
    : card_(card),
      stream_(card.MakeStream(urgency)),
      unit_(std::move(unit)),
      element_(element),
      math_(math),
      options_(options) {}

// A quarter of a GiB lets every algorithm take part on networks of today; small boards have less to give.
std::size_t GpuContext::MostWorkspace() const {
  constexpr std::int64_t kMost = std::int64_t{256} << 20;
  return static_cast<std::size_t>(std::min(kMost, card_.info().memory_bytes / 16));
}

// Doubling, so that what older executables keep is never more than what is used now.
std::shared_ptr<const GpuBuffer> GpuContext::Workspace(std::size_t bytes) {
  if (workspace_->bytes() < bytes) {
    workspace_ = std::make_shared<GpuBuffer>(card_, Space::kCard, std::bit_ceil(bytes));
  }
  return workspace_;
}

void GpuContext::ReserveStaging(std::size_t bytes) {
  if (staging_.bytes() >= bytes) return;
  staging_ = GpuBuffer(card_, Space::kPinned, std::bit_ceil(bytes));
}

}  // namespace tandem::gpu
