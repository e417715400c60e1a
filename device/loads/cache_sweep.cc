#include "device/loads/cache_sweep.h"

#include "device/host/affinity.h"
#include "device/host/caches.h"
#include "device/host/info.h"

namespace tandem {
namespace {

constexpr std::size_t kFloatsPerLine = 16;

std::size_t SweptFloats(const std::vector<std::int64_t>& cores) {
  return static_cast<std::size_t>(2 * CacheThatCounts(cores)) / sizeof(float);
}

}  // namespace

CacheSweep::CacheSweep(std::vector<std::int64_t> cores, const CacheSweep* other) : cores_(std::move(cores)) {
  const std::size_t floats = SweptFloats(cores_.empty() ? UsableCores() : cores_);
  if (other && other->memory_->size() >= floats) memory_ = other->memory_;
  if (!memory_) memory_ = std::make_shared<Buffer>(floats);
}

void CacheSweep::Run() {
  const KeptAffinity kept;
  const auto values = memory_->values();
  for (std::size_t i = 0; i == 0 || i < cores_.size(); ++i) {
    if (i < cores_.size()) PinToCore(cores_[i]);
    for (std::size_t at = 0; at < values.size(); at += kFloatsPerLine) sum_ += values[at];
  }
  volatile float sink = sum_;
  (void)sink;
}

}  // namespace tandem
