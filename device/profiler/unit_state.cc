#include "device/profiler/unit_state.h"

#include "device/host/clock.h"
#include "profiles/costs/machine_state.h"

namespace tandem {

UnitState::UnitState(const ReadYardstick& read, std::vector<Nanos>& readings,
                     std::vector<TimedReading>* timed, bool at_once)
    : read_(&read), readings_(&readings), timed_(timed), at_once_(at_once) {
  if (*read_ && !readings.empty()) FindLevel();
}

Nanos UnitState::Read() {
  if (!*read_) return Nanos{0};
  readings_->push_back((*read_)());
  if (timed_) timed_->push_back({SteadyNow(), readings_->back(), at_once_});
  // Of many one more changes next to nothing, and finding it takes time.
  if (readings_->size() >= judged_ * 21 / 20) FindLevel();
  return readings_->back();
}

void UnitState::FindLevel() {
  level_ = ReferenceLevel(*readings_);
  judged_ = readings_->size();
}

bool UnitState::WorthMeasuring(Nanos reading) const {
  return !*read_ || judged_ < kTooFewReadings || IsReferenceState(reading, level_);
}

}  // namespace tandem
