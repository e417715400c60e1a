#include "scenarios/arrivals/arrivals.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/check.h"

namespace tandem {
ReleaseTimes::ReleaseTimes(const Stream& stream, std::uint64_t scenario_seed)
    : stream_(&stream), random_(stream.name, scenario_seed) {
  TANDEM_CHECK(IsOpen(stream), "closed and dependent streams are released by completions");
  if (std::holds_alternative<OfflineArrival>(stream.arrival)) at_zero_ = stream.until.count;
  if (const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival)) date_ = periodic->phase;
}

std::optional<Nanos> ReleaseTimes::NextByTheClock() {
  return std::visit([this](const auto& arrival) { return NextOf(arrival); }, stream_->arrival);
}

template <class Other>
std::optional<Nanos> ReleaseTimes::NextOf(const Other&) {
  return std::nullopt;
}

std::optional<Nanos> ReleaseTimes::NextOf(const PeriodicArrival& arrival) {
  const auto nominal = [&] { return date_ + Nanos{2 * remainder_ >= arrival.divisor ? 1 : 0}; };
  // Draw on until no frame to come can precede the earliest that waits.
  while (waiting_.empty() || waiting_.top() > nominal()) {
    if (!stream_->until.Admits(index_, nominal())) break;
    const Nanos late{arrival.jitter.count() == 0 ? 0 : random_.UniformUpTo(arrival.jitter.count())};
    if (stream_->until.Admits(index_, nominal() + late)) waiting_.push(nominal() + late);
    ++index_;
    AdvancePeriod(arrival);
  }
  if (waiting_.empty()) return std::nullopt;
  const Nanos release = waiting_.top();
  waiting_.pop();
  return release;
}

// In integers, so that the millionth frame is where the rule puts it.
void ReleaseTimes::AdvancePeriod(const PeriodicArrival& arrival) {
  date_ += Nanos{arrival.period_ns / arrival.divisor};
  remainder_ += arrival.period_ns % arrival.divisor;
  if (remainder_ < arrival.divisor) return;
  remainder_ -= arrival.divisor;
  ++date_;
}

std::optional<Nanos> ReleaseTimes::NextOf(const PoissonArrival& arrival) {
  const double gap = std::floor(random_.Exponential() * kNanosPerSecond / arrival.rate_per_s + 0.5);
  const double most = static_cast<double>((kLongestTime - date_).count());
  date_ += Nanos{static_cast<std::int64_t>(std::min(gap, most))};
  if (!stream_->until.Admits(index_, date_)) return std::nullopt;
  ++index_;
  return date_;
}

std::optional<Nanos> ReleaseTimes::NextOf(const TraceArrival& arrival) {
  const auto index = static_cast<std::size_t>(index_);
  if (index >= arrival.times->size()) return std::nullopt;
  const Nanos release = (*arrival.times)[index];
  if (!stream_->until.Admits(index_, release)) return std::nullopt;
  ++index_;
  return release;
}

DependencyDraws::DependencyDraws(const Stream& stream, std::uint64_t scenario_seed)
    : link_(std::get<DependentArrival>(stream.arrival)),
      random_(link_.drawn_as.empty() ? stream.name : link_.drawn_as, scenario_seed) {}

bool DependencyDraws::Exists(std::int64_t index) {
  while (static_cast<std::int64_t>(drawn_.size()) <= index) {
    drawn_.push_back(random_.Uniform() < link_.probability);
  }
  return !PassesOver(index) && drawn_[static_cast<std::size_t>(index)];
}

bool IsOpen(const Stream& stream) {
  return !std::holds_alternative<ClosedArrival>(stream.arrival) &&
         !std::holds_alternative<DependentArrival>(stream.arrival);
}

bool ComesByTheClock(const Stream& stream) {
  return IsOpen(stream) && !std::holds_alternative<OfflineArrival>(stream.arrival);
}

bool HasRandomArrivals(const std::vector<Stream>& streams) {
  return std::any_of(streams.begin(), streams.end(), [](const Stream& stream) {
    if (const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival)) {
      return periodic->jitter > Nanos{0};
    }
    if (const auto* dependent = std::get_if<DependentArrival>(&stream.arrival)) {
      return dependent->probability > 0 && dependent->probability < 1;
    }
    return std::holds_alternative<PoissonArrival>(stream.arrival);
  });
}

}  // namespace tandem
