#include "policies/engine/rates.h"

#include <algorithm>

namespace tandem {

namespace {

constexpr Rate kTopOfAll = 10 * kFullRate;

template <class Heated>
std::vector<Heated> HeatedOf(const Scenario& scenario) {
  std::vector<Heated> heated;
  for (const UnitHeat& heat : scenario.heat) heated.push_back({heat.unit, Warmth(heat)});
  return heated;
}

std::vector<char> TimeShared(const Platform& platform) {
  std::vector<char> shared;
  for (const Unit& unit : platform.units) shared.push_back(unit.AtFullSpeed() < unit.slots ? 1 : 0);
  return shared;
}

std::vector<char> Preempts(const Platform& platform) {
  std::vector<char> preempts;
  for (const Unit& unit : platform.units) preempts.push_back(unit.preempts ? 1 : 0);
  return preempts;
}

std::vector<std::int64_t> UrgencyOf(const Scenario& scenario) {
  std::vector<std::int64_t> urgency;
  for (const Stream& stream : scenario.streams) urgency.push_back(stream.priority);
  return urgency;
}

}  // namespace

Rate TopRate(const Scenario& scenario) {
  const double top = static_cast<double>(kFullRate) / LeastSlowdown(scenario) + 1e-9;
  return static_cast<Rate>(std::min(top, static_cast<double>(kTopOfAll)));
}

TaskRates::TaskRates(const Problem& problem, const Slowdowns* slowdowns, bool apart)
    : slowdowns_(slowdowns ? slowdowns : &problem.slowdowns()),
      top_(slowdowns ? kTopOfAll : TopRate(problem.scenario())),
      time_shared_(TimeShared(problem.platform())),
      preempts_(Preempts(problem.platform())),
      urgency_(UrgencyOf(problem.scenario())),
      shared_(std::find(time_shared_.begin(), time_shared_.end(), 1) != time_shared_.end()),
      apart_(apart),
      speeds_(problem.scenario().speeds),
      heated_(HeatedOf<Heated>(problem.scenario())),
      on_(shared_ || !speeds_.empty() || !heated_.empty() || slowdowns_->on()),
      units_(problem.units()),
      jobs_(problem.units() * problem.segments().size()) {
  std::stable_sort(speeds_.begin(), speeds_.end(),
                   [](const UnitSpeed& a, const UnitSpeed& b) { return a.at < b.at; });
  turns_of_.assign(units_, -1);
  for (std::size_t u = 0; u < units_; ++u) {
    const Unit& unit = problem.platform().units[u];
    if (!unit.slice || time_shared_[u] == 0) continue;
    turns_of_[u] = static_cast<std::int32_t>(sliced_.size());
    sliced_.push_back({UnitId(u), Turns(unit), {}});
  }
}

TaskRates TaskRates::AsProfiled(const Problem& problem) {
  TaskRates rates(problem);
  rates.speeds_.clear();
  rates.heated_.clear();
  rates.loads_ = false;
  rates.on_ = rates.shared_ || rates.slowdowns_->on();
  return rates;
}

void TaskRates::Warm(const std::vector<Occupation>& all, Nanos now) {
  warmed_ = true;
  for (Heated& heated : heated_) {
    const auto works = [&](const Occupation& slot) { return slot.working && slot.unit == heated.unit; };
    const bool any = std::any_of(all.begin(), all.end(), works);
    heated.warmth.Goes(now, any ? SetSpeed(heated.unit, now) : 0);
  }
}

void TaskRates::TakeTurns(const std::vector<Occupation>& all, Nanos now) {
  if (sliced_.empty()) return;
  turns_taken_ = true;
  for (Sliced& sliced : sliced_) sliced.working.clear();
  for (const Occupation& slot : all) {  // ascending; copy engines are behind the units
    if (!slot.working || slot.unit.index() >= units_ || turns_of_[slot.unit.index()] < 0) continue;
    sliced_[static_cast<std::size_t>(turns_of_[slot.unit.index()])].working.push_back(
        static_cast<std::int32_t>(slot.slot.index()));
  }
  for (Sliced& sliced : sliced_) sliced.turns.Goes(now, sliced.working);
}

void TaskRates::AddHeldBack(Outcome& outcome) const {
  if (!warmed_) return;
  for (const Heated& heated : heated_)
    outcome.units[heated.unit.index()].held_back = heated.warmth.HeldBack(outcome.end);
}

double TaskRates::SpeedByHeat(UnitId unit) const {
  for (const Heated& heated : heated_) {
    if (heated.unit == unit) return heated.warmth.speed();
  }
  return 1;
}

double TaskRates::SetSpeed(UnitId unit, Nanos now) const {
  double speed = 1;
  for (const UnitSpeed& each : speeds_) {
    if (each.at > now) break;
    if (each.unit == unit) speed = each.speed;
  }
  return speed;
}

double TaskRates::SpeedOf(UnitId unit, Nanos now) const { return SetSpeed(unit, now) * SpeedByHeat(unit); }

Nanos TaskRates::NextChange(Nanos now) const {
  const auto next = std::upper_bound(speeds_.begin(), speeds_.end(), now,
                                     [](Nanos date, const UnitSpeed& speed) { return date < speed.at; });
  Nanos date = next == speeds_.end() ? Runner::kNever : next->at;
  for (const Heated& heated : heated_) date = std::min(date, heated.warmth.next_change());
  for (const Sliced& sliced : sliced_) date = std::min(date, sliced.turns.next_change());
  return date;
}

const Slowdowns::Beside& TaskRates::Beside(const Occupation& slot, const Occupation& other) {
  const SegmentId a = slot.task.segment, b = other.task.segment;
  const std::size_t job = a.index() * units_ + slot.unit.index(),
                    beside = b.index() * units_ + other.unit.index();
  const auto [found, is_new] = beside_.try_emplace(job * jobs_ + beside);
  if (is_new) found->second = slowdowns_->Of(a, slot.unit, b, other.unit);
  return found->second;
}

// By how much the slot's task is slowed down because its unit's time is shared; nothing: it rests as long as
// more urgent ones work.
std::optional<double> TaskRates::SharedBy(const Occupation& slot, const std::vector<Occupation>& all) const {
  const bool preempts = preempts_[slot.unit.index()] != 0;
  const std::int64_t urgency = urgency_[slot.task.stream.index()];
  std::int64_t sharing = 0;
  std::vector<SegmentId> others;  // filled where it matters which these are
  for (const Occupation& other : all) {
    if (!other.working || other.unit != slot.unit) continue;
    const std::int64_t of_other = urgency_[other.task.stream.index()];
    if (preempts && of_other > urgency) return std::nullopt;
    if (preempts && of_other != urgency) continue;
    ++sharing;
    if (slowdowns_->sharing_by_pairs() && &other != &slot) others.push_back(other.task.segment);
  }
  return others.empty() ? slowdowns_->Sharing(slot.task.segment, slot.unit, sharing, apart_)
                        : slowdowns_->SharingWith(slot.task.segment, slot.unit, others, apart_);
}

// The one whose turn it is has all of the unit, the others rest.
std::optional<double> TaskRates::ByTurns(const Occupation& slot, const std::vector<Occupation>& all) const {
  const std::int32_t turns = turns_of_[slot.unit.index()];
  if (turns < 0 || !turns_taken_) return SharedBy(slot, all);
  const Sliced& sliced = sliced_[static_cast<std::size_t>(turns)];
  if (sliced.turns.holder() != static_cast<std::int32_t>(slot.slot.index())) return std::nullopt;
  return 1;
}

Rate TaskRates::Of(const Occupation& slot, const std::vector<Occupation>& all, Nanos now) {
  double slowdown = loads_ ? slowdowns_->Background(slot.task.segment, slot.unit) : 1;
  if (time_shared_[slot.unit.index()]) {
    const auto shared = ByTurns(slot, all);
    if (!shared) return 0;
    slowdown *= *shared;
  }
  met_.Begin(slowdown);
  working_.assign(units_, 0);
  for (const Occupation& other : all) {
    if (other.working && other.unit != slot.unit && other.unit.index() < units_)
      working_[other.unit.index()] = 1;
  }
  if (const auto* group = slowdowns_->Together(slot.task.segment, slot.unit, working_)) {
    met_.Add(*group);
    for (const UnitId unit : group->beside) working_[unit.index()] = 0;
  }
  for (const Occupation& other : all) {
    if (!other.working || other.unit.index() >= units_ || !working_[other.unit.index()]) continue;
    met_.Add(Beside(slot, other));
  }
  // A load of 40 % leaves 600 thousandths, whatever 100 / 60 rounds to.
  const double rate =
      static_cast<double>(kFullRate) / met_.Slowdown(*slowdowns_) * SpeedOf(slot.unit, now) + 1e-9;
  return rate < 1 ? 1 : static_cast<Rate>(std::min(rate, static_cast<double>(top_)));
}

}  // namespace tandem
