#include "scenarios/calibration/rounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

// A median of many scatters so much more than their mean.
constexpr double kOfMedian = std::numbers::pi / 2;

double Middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace

std::optional<Interval> MedianInterval(std::vector<double> samples, double probability) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  // So many of n samples lie below the median as of n coins show heads.
  double coins = std::pow(0.5, static_cast<double>(n)), outside = 0;
  std::optional<std::size_t> rank;
  for (std::size_t k = 0; 2 * k + 1 < n; ++k) {
    outside += 2 * coins;
    if (outside > 1 - probability) break;
    rank = k;
    coins *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  if (!rank) return std::nullopt;
  return Interval{samples[*rank], samples[n - 1 - *rank]};
}

Rounds::Rounds(const std::vector<RoundSample>& samples, std::size_t policies, double probability,
               FewAlike few_alike)
    : probability_(probability), few_alike_(few_alike), runs_(policies), levels_(policies) {
  for (const RoundSample& sample : samples) products_ = products_ && sample.value > 0;
  for (const RoundSample& sample : samples) {
    runs_[sample.policy][sample.round] = products_ ? NaturalLog(sample.value) : sample.value;
  }
  for (const Runs& runs : runs_) {
    for (const auto& [round, value] : runs) ++shared_[round];
  }
  for (const auto& [round, policies_in] : shared_) {
    if (policies_in > 1) drift_[round] = 0;
  }
  Fit();
}

// Rows and columns in turn give up their medians, until neither has one: what a single run is off moves none.
void Rounds::Fit() {
  constexpr int kTurns = 20;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t p = 0; p < runs_.size(); ++p) {
      std::vector<double> values;
      for (const auto& [round, value] : runs_[p]) values.push_back(value - Drift(round));
      if (!values.empty()) levels_[p] = Middle(values);
    }
    if (drift_.empty()) return;
    std::vector<double> of_rounds;
    for (auto& [round, drift] : drift_) {
      std::vector<double> rests;
      for (std::size_t p = 0; p < runs_.size(); ++p) {
        if (const auto run = runs_[p].find(round); run != runs_[p].end()) {
          rests.push_back(run->second - levels_[p]);
        }
      }
      drift = Middle(rests);
      of_rounds.push_back(drift);
    }
    const double middling = Middle(of_rounds);
    for (auto& [round, drift] : drift_) drift -= middling;
  }
}

double Rounds::Drift(std::int64_t round) const {
  const auto found = drift_.find(round);
  return found == drift_.end() ? 0 : found->second;
}

// What the fit takes of the squares of noise: a round of k policies has k - 1 differences.
double Rounds::Inflation(std::int64_t round) const {
  const auto policies = static_cast<double>(shared_.at(round));
  return policies > 1 ? policies / (policies - 1) : 1;
}

// How far its runs are from its median without drift, as far as they would be had the fit not followed them.
std::vector<double> Rounds::Spreading(std::size_t policy) const {
  std::vector<double> rests;
  for (const auto& [round, value] : runs_[policy]) {
    rests.push_back((value - Drift(round) - levels_[policy]) * std::sqrt(Inflation(round)));
  }
  return rests;
}

// Of all policies' runs, or of its own where that is more.
Rounds::Noise Rounds::NoiseOf(std::size_t policy) const {
  double all = 0, own = 0;
  std::int64_t runs = 0;
  for (std::size_t p = 0; p < runs_.size(); ++p) {
    double squares = 0;
    for (const double rest : Spreading(p)) squares += rest * rest;
    all += squares;
    if (p == policy) own = squares;
    runs += std::max<std::int64_t>(0, this->runs(p) - 1);
  }
  const auto rounds = static_cast<std::int64_t>(drift_.size());
  const double of_own = own / static_cast<double>(std::max<std::int64_t>(1, this->runs(policy) - 1));
  return {std::max(all / static_cast<double>(std::max<std::int64_t>(1, runs)), of_own),
          std::max<std::int64_t>(1, runs - std::max<std::int64_t>(0, rounds - 1))};
}

double Rounds::HalfWidth(double squares, std::int64_t degrees) const {
  return StudentQuantile((1 + probability_) / 2, degrees) * std::sqrt(kOfMedian * squares);
}

// Of the rounds' middle. What changes from one round to the next is noise; what goes on over many is drift,
// and its middle is known.
double Rounds::RoundsHalfWidth() const {
  const auto n = static_cast<std::int64_t>(drift_.size());
  if (n < 2) return 0;
  double squares = 0;
  for (auto next = std::next(drift_.begin()); next != drift_.end(); ++next) {
    const double step = next->second - std::prev(next)->second;
    squares += step * step;
  }
  const auto rounds = static_cast<double>(n);
  // Differences share rounds: there are fewer degrees of freedom than differences (von Neumann).
  return HalfWidth(squares / (2 * (rounds - 1)) / rounds, 2 * (n - 1) * (n - 1) / (3 * n - 4));
}

std::int64_t Rounds::runs(std::size_t policy) const {
  return static_cast<std::int64_t>(runs_[policy].size());
}

std::optional<Interval> Rounds::Median(std::size_t policy) const {
  const std::int64_t n = runs(policy);
  if (n < 2) return std::nullopt;
  std::optional<Interval> rest = MedianInterval(Spreading(policy), probability_);
  if (!rest) {
    const Noise noise = NoiseOf(policy);
    if (SaysNothing(noise.squares)) return std::nullopt;
    const double half = HalfWidth(noise.squares / static_cast<double>(n), noise.degrees);
    rest = {-half, half};
  }
  const double rounds = RoundsHalfWidth(), level = levels_[policy];
  const Interval interval{level - std::hypot(rest->low, rounds), level + std::hypot(rest->high, rounds)};
  return products_ ? Interval{Exp(interval.low), Exp(interval.high)} : interval;
}

std::optional<Interval> Rounds::OneRun(std::size_t policy) const {
  const bool others = std::any_of(runs_.begin(), runs_.end(), [](const Runs& of) { return of.size() > 1; });
  if (runs(policy) != 1 || !others) return std::nullopt;
  const Noise noise = NoiseOf(policy);
  if (SaysNothing(noise.squares)) return std::nullopt;
  const double half = HalfWidth(noise.squares, noise.degrees), level = levels_[policy];
  return products_ ? Interval{Exp(level - half), Exp(level + half)} : Interval{level - half, level + half};
}

std::optional<Estimate> Rounds::Larger(std::size_t a, std::size_t b) const {
  std::vector<double> differences;
  for (const auto& [round, value] : runs_[a]) {
    if (const auto other = runs_[b].find(round); other != runs_[b].end()) {
      differences.push_back(value - other->second);
    }
  }
  if (differences.size() < 2) return std::nullopt;
  const double middle = Middle(differences);
  std::optional<Interval> interval = MedianInterval(differences, probability_);
  if (!interval) {
    const Noise of_a = NoiseOf(a), of_b = NoiseOf(b);
    if (SaysNothing(of_a.squares + of_b.squares)) return std::nullopt;
    const double half = HalfWidth((of_a.squares + of_b.squares) / static_cast<double>(differences.size()),
                                  std::min(of_a.degrees, of_b.degrees));
    interval = {middle - half, middle + half};
  }
  if (!products_) return Estimate{middle, interval};
  return Estimate{Exp(middle) - 1, Interval{Exp(interval->low) - 1, Exp(interval->high) - 1}};
}

bool Rounds::IsEven(std::int64_t round) const {
  return std::distance(shared_.begin(), shared_.find(round)) % 2 == 1;
}

// Its runs in every other round, without drift.
std::vector<double> Rounds::InHalf(std::size_t policy, bool even) const {
  std::vector<double> values;
  for (const auto& [round, value] : runs_[policy]) {
    if (IsEven(round) == even) values.push_back(value - Drift(round));
  }
  return values;
}

// Of equals the named one.
std::optional<std::size_t> Rounds::BestIn(bool even, std::size_t named,
                                          const std::vector<std::size_t>& rivals, double sign) const {
  const auto of_named = InHalf(named, even);
  if (of_named.empty()) return std::nullopt;
  std::size_t best = named;
  double least = sign * Middle(of_named);
  for (const std::size_t rival : rivals) {
    const auto values = InHalf(rival, even);
    if (values.empty() || sign * Middle(values) >= least) continue;
    best = rival;
    least = sign * Middle(values);
  }
  return best;
}

// What no rival is better by than, on the scale; nothing where one of them has too few rounds for that.
std::optional<double> Rounds::MostBehind(std::size_t named, const std::vector<std::size_t>& rivals,
                                         double sign) const {
  double most = 0;
  for (const std::size_t rival : rivals) {
    if (rival == named) continue;
    const auto larger = sign > 0 ? Larger(named, rival) : Larger(rival, named);
    if (!larger) return std::nullopt;
    most = std::max(most, larger->interval->high);
  }
  return most;
}

std::optional<Estimate> Rounds::Behind(std::size_t named, const std::vector<std::size_t>& rivals,
                                       bool higher_is_better) const {
  const double sign = higher_is_better ? -1 : 1;
  double behind = 0, squares = 0, halves = 0;
  std::int64_t degrees = 1;
  for (const bool even : {false, true}) {
    const auto best = BestIn(!even, named, rivals, sign);
    const auto of_named = InHalf(named, even);
    if (!best || of_named.empty()) continue;
    const auto of_best = InHalf(*best, even);
    if (of_best.empty()) continue;
    ++halves;
    if (*best == named) continue;
    behind += sign * (Middle(of_named) - Middle(of_best));
    const Noise a = NoiseOf(named), b = NoiseOf(*best);
    squares +=
        a.squares / static_cast<double>(of_named.size()) + b.squares / static_cast<double>(of_best.size());
    degrees = a.degrees;
  }
  if (halves == 0) return std::nullopt;
  behind /= halves;
  const double low = behind - HalfWidth(squares / (halves * halves), degrees);
  const auto share = [&](double value) { return products_ ? Exp(value) - 1 : value; };
  Estimate regret{share(behind), std::nullopt};
  if (const auto most = MostBehind(named, rivals, sign)) {
    regret.interval = Interval{share(low), std::max(share(behind), *most)};
  }
  return regret;
}

}  // namespace tandem
