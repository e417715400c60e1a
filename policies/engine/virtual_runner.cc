#include "policies/engine/virtual_runner.h"

#include <algorithm>

namespace tandem {

inline void VirtualRunner::SetEnd(std::size_t place, Nanos end) {
  ends_[place] = end;
  order_.Update(place, [this](std::int32_t a, std::int32_t b) {
    return ends_[static_cast<std::size_t>(a)] < ends_[static_cast<std::size_t>(b)];
  });
}

// Returns how many.
inline std::size_t VirtualRunner::CollectEnded(Nanos now) {
  std::size_t count = 0;
  for (auto top = static_cast<std::size_t>(order_.top()); ends_[top] == now;
       top = static_cast<std::size_t>(order_.top())) {
    ended_[count++] = PlaceId(top);
    SetEnd(top, kNever);
  }
  return count;
}

void VirtualRunner::Run(Dispatcher& dispatcher) {
  const std::size_t places = std::max<std::size_t>(dispatcher.places().size(), 1);
  ends_.assign(places, kNever);
  ended_.resize(places);
  order_ = WinnerTree(places);
  dispatcher.OnInstant(*this, Nanos{0}, {});
  for (;;) {
    const Nanos end = ends_[static_cast<std::size_t>(order_.top())], now = std::min(end, wake_up_);
    if (now == kNever) return;
    if (wake_up_ == now) wake_up_ = kNever;
    const std::size_t count = end == now ? CollectEnded(now) : 0;
    dispatcher.OnInstant(*this, now, {ended_.data(), count});
  }
}

void VirtualRunner::Start(const Occupation& slot, Nanos) { SetEnd(slot.place.index(), slot.progress.End()); }

void VirtualRunner::SetRate(const Occupation& slot) { SetEnd(slot.place.index(), slot.progress.End()); }

void VirtualRunner::Stop(const Occupation& slot) { SetEnd(slot.place.index(), kNever); }

Outcome RunVirtual(const Problem& problem, Policy& policy, const RunOptions& options) {
  Dispatcher dispatcher(problem, policy, options);
  VirtualRunner().Run(dispatcher);
  return dispatcher.TakeOutcome();
}

}  // namespace tandem
