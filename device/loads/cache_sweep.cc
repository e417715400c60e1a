#include "device/loads/cache_sweep.h"

#include "device/host/affinity.h"
#include "device/host/clocks.h"
#include "device/host/info.h"

namespace tandem {
namespace {

constexpr std::size_t kFloatsPerLine = 16;

std::size_t SweptFloats(const std::vector<std::int64_t>& cores) {
  return static_cast<std::size_t>(2 * LargestCache(cores)) / sizeof(float);
}

}  // namespace

CacheSweep::CacheSweep(std::vector<std::int64_t> cores)
    : cores_(std::move(cores)), memory_(SweptFloats(cores_.empty() ? UsableCores() : cores_)) {}

void CacheSweep::Run() {
  const KeptAffinity kept;
  const auto values = memory_.values();
  for (std::size_t i = 0; i == 0 || i < cores_.size(); ++i) {
    if (i < cores_.size()) PinToCore(cores_[i]);
    for (std::size_t at = 0; at < values.size(); at += kFloatsPerLine) sum_ += values[at];
  }
  volatile float sink = sum_;
  (void)sink;
}

}  // namespace tandem
