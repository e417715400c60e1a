#include "device/profiler/bench/unit_state.h"

#include <algorithm>

#include "device/host/clock.h"
#include "device/profiler/samples/reference_state.h"
#include "profiles/costs/machine_state.h"

namespace tandem {

UnitState::UnitState(const ReadYardstick& read, std::vector<Nanos>& readings,
                     std::vector<TimedReading>* timed, bool at_once, HeatBeside heat)
    : read_(&read), readings_(&readings), timed_(timed), at_once_(at_once), heat_(heat) {
  if (heat_.limits != nullptr && heat_.limits->empty()) heat_ = {};
  // Of readings before there was anybody to tell.
  if (heat_.limits && heat_.held_back->size() < readings.size()) heat_.held_back->resize(readings.size());
  if (Seen() > 0) Judge();
}

UnitState::UnitState(ProfilerBench& bench, std::size_t unit, ProfilerSamples& samples, bool at_once)
    : UnitState(bench.yardstick(unit),
                (at_once ? samples.yardsticks_at_once : samples.yardsticks)[bench.unit(unit).name],
                &samples.readings[bench.unit(unit).name], at_once,
                {&bench.clock_limits(),
                 &(at_once ? samples.held_back_at_once : samples.held_back)[bench.unit(unit).name]}) {}

StateReading UnitState::Read() {
  StateReading now;
  if (*read_) now.took = (*read_)();
  if (heat_.limits) {
    now.held_back = heat_.limits->HoldBack();
    heat_.held_back->push_back(now.held_back);
  }
  if (*read_) {
    readings_->push_back(now.took);
    if (timed_) timed_->push_back({SteadyNow(), now.took, at_once_});
  }
  // Of many one more changes next to nothing, and finding it takes time.
  if (Seen() >= judged_ * 21 / 20) Judge();
  return now;
}

std::size_t UnitState::Seen() const {
  const std::size_t heat = heat_.limits ? heat_.held_back->size() : 0;
  return std::max(*read_ ? readings_->size() : 0, heat);
}

void UnitState::Judge() {
  static const std::vector<bool> kNever;
  const std::vector<bool>& held_back = heat_.limits ? *heat_.held_back : kNever;
  judged_ = Seen();
  hot_ = IsHot(held_back, judged_);
  if (*read_ && !readings_->empty()) level_ = LevelOf(*readings_, held_back);
}

bool UnitState::WorthMeasuring(const StateReading& reading) const {
  if (judged_ < kTooFewReadings) return true;
  if (reading.held_back && !hot_) return false;
  return !*read_ || IsReferenceState(reading.took, level_);
}

double UnitState::Off(const StateReading& reading) const {
  if (WorthMeasuring(reading)) return 0;
  const double off = *read_ ? OffLevel(reading.took, level_) : 0;
  return reading.held_back ? std::max(off, kSameState) : off;
}

}  // namespace tandem
