#include "policies/engine/virtual_runner.h"

#include <algorithm>

namespace tandem {

inline void VirtualRunner::SetEnd(std::size_t place, Nanos end) {
  ends_[place] = end;
  order_.Update(place, [this](std::int32_t a, std::int32_t b) {
    return ends_[static_cast<std::size_t>(a)] < ends_[static_cast<std::size_t>(b)];
  });
}

inline void VirtualRunner::CollectEnded(Nanos now) {
  ended_.clear();
  for (auto top = static_cast<std::size_t>(order_.top()); ends_[top] == now;
       top = static_cast<std::size_t>(order_.top())) {
    ended_.emplace_back(top);
    SetEnd(top, kNever);
  }
}

void VirtualRunner::Run(Dispatcher& dispatcher) {
  const std::size_t places = dispatcher.places().size();
  ends_.assign(places, kNever);
  order_ = WinnerTree(places);
  dispatcher.OnInstant(*this, Nanos{0}, {});
  for (;;) {
    const Nanos end = places == 0 ? kNever : ends_[static_cast<std::size_t>(order_.top())];
    now_ = std::min(end, wake_up_);
    if (now_ == kNever) return;
    if (wake_up_ == now_) wake_up_ = kNever;
    CollectEnded(now_);
    dispatcher.OnInstant(*this, now_, ended_);
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
