#include "device/backends/cuda/gpu/context.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "device/host/clock.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr int kMostUrgent = 0;  // slots are alike until somebody says otherwise

std::unique_ptr<CardStream> StreamOf(Card& card, const std::string& unit, const GpuOptions& options) {
  if (options.parts == 1) return card.MakeStream(kMostUrgent);
  try {
    return card.MakePartStream(options.parts, options.part, kMostUrgent);
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(unit + ": its " + std::to_string(options.parts) +
                           " slots are a part of the card each, which is not to be had: " + error.what() +
                           "; with \"time_shared\": true they share the whole of it");
  }
}

}  // namespace

GpuContext::GpuContext(Card& card, std::string unit, Element element, Math math, GpuOptions options)
    : card_(card),
      stream_(StreamOf(card, unit, options)),
      unit_(std::move(unit)),
      element_(element),
      math_(math),
      options_(options) {}

std::string GpuContext::CardName() const {
  const std::string& name = card_.info().name;
  return options_.parts == 1 ? name : name + ", one of " + std::to_string(options_.parts) + " parts";
}

// A quarter of a GiB lets every algorithm take part on networks of today; small boards have less to give.
std::size_t GpuContext::MostWorkspace() const {
  constexpr std::int64_t kMost = std::int64_t{256} << 20;
  return static_cast<std::size_t>(std::min(kMost, card_.info().memory_bytes / 16));
}

void GpuContext::BeginModel(const std::string& name) {
  if (name != model_) tried_ = Nanos(0);
  model_ = name;
}

void GpuContext::WarmUp(const std::function<void()>& work) {
  const Nanos begin = SteadyNow();
  const Nanos enough = card_.info().warm_after;
  const bool cold = !warm_ || begin - *warm_ > enough;
  while (cold && SteadyNow() - begin < enough) work();
  warm_ = SteadyNow();
}

// By half as much again at least, so that all that older executables keep is at most twice what is used now.
std::shared_ptr<const GpuBuffer> GpuContext::Scratch(std::size_t bytes) {
  const std::size_t held = scratch_->bytes();
  if (held < bytes) {
    scratch_ = std::make_shared<GpuBuffer>(card_, Space::kCard, std::max(bytes, held + held / 2));
  }
  return scratch_;
}

void GpuContext::ReserveStaging(std::size_t bytes) {
  if (staging_.bytes() >= bytes) return;
  staging_ = GpuBuffer(card_, Space::kPinned, std::bit_ceil(bytes));
}

}  // namespace tandem::gpu
