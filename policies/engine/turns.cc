#include "policies/engine/turns.h"

#include <algorithm>

namespace tandem {

void Turns::GiveTo(std::int32_t slot, Nanos now) {
  begins_ = now + (slot_ < 0 || slot == slot_ ? Nanos{0} : switching_);
  slot_ = slot;
  ends_ = kNever;
}

void Turns::Goes(Nanos now, const std::vector<std::int32_t>& working) {
  if (working.empty()) {
    works_ = is_switching_ = false;
    ends_ = kNever;
    return;
  }
  const bool goes_on = works_ && std::binary_search(working.begin(), working.end(), slot_);
  works_ = true;
  if (!goes_on || now >= ends_) {
    // Who had it last comes last, where it works at all: also after a pause of the unit, but for one that
    // works alone.
    const auto next = std::upper_bound(working.begin(), working.end(), slot_);
    GiveTo(next == working.end() ? working.front() : *next, now);
  }
  if (working.size() == 1) {
    ends_ = kNever;
  } else if (ends_ == kNever) {
    ends_ = std::max(begins_, now) + slice_;
  }
  is_switching_ = now < begins_;
}

}  // namespace tandem
