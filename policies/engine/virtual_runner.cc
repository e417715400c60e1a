#include "policies/engine/virtual_runner.h"

#include <algorithm>

namespace tandem {

void VirtualRunner::Run(Dispatcher& dispatcher) {
  const std::size_t places = dispatcher.places().size();
  ends_.assign(places, kNever);
  progress_.resize(places);
  order_ = WinnerTree(places);
  for (std::size_t p = 0; p < places; ++p) SetEnd(p, kNever);
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

void VirtualRunner::CollectEnded(Nanos now) {
  ended_.clear();
  for (auto top = static_cast<std::size_t>(order_.top()); ends_[top] == now;
       top = static_cast<std::size_t>(order_.top())) {
    ended_.push_back({PlaceId(top), progress_[top].Surplus(now)});
    SetEnd(top, kNever);
  }
}

void VirtualRunner::SetEnd(std::size_t place, Nanos end) {
  ends_[place] = end;
  order_.Update(place, [this](std::int32_t a, std::int32_t b) {
    const Nanos end_a = ends_[static_cast<std::size_t>(a)], end_b = ends_[static_cast<std::size_t>(b)];
    // Without a branch, which would be guessed wrong every other time.
    return static_cast<bool>(static_cast<int>(end_a < end_b) |
                             (static_cast<int>(end_a == end_b) & static_cast<int>(a < b)));
  });
}

void VirtualRunner::Start(const Occupation& slot, Nanos work) {
  const std::size_t place = slot.place.index();
  progress_[place] = Progress(now_, work, slot.credit);
  SetEnd(place, progress_[place].End());
}

void VirtualRunner::SetRate(PlaceId place, Rate rate) {
  Progress& progress = progress_[place.index()];
  progress.SetRate(now_, rate);
  SetEnd(place.index(), progress.End());
}

Outcome RunVirtual(const Problem& problem, Policy& policy, const RunOptions& options) {
  Dispatcher dispatcher(problem, policy, options);
  VirtualRunner().Run(dispatcher);
  return dispatcher.TakeOutcome();
}

}  // namespace tandem
