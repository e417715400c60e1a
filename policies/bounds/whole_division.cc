#include "policies/bounds/whole_division.h"

#include <numeric>

#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostPortions = 1000;  // about, of a class
constexpr std::int64_t kMostSteps = 200'000, kStepsPerPiece = 800, kStarts = 3;
constexpr std::int64_t kWidest = 50;  // a step may make it worse by one part in so many, at first

std::size_t Below(std::size_t count, StreamRandom& random) {
  return static_cast<std::size_t>(random.UniformUpTo(static_cast<std::int64_t>(count) - 1));
}

Nanos Fastest(const WorkClass& work) {
  Nanos least{INT64_MAX};
  for (const Nanos time : work.time) least = time < Nanos{0} ? least : std::min(least, time);
  return least;
}

std::int64_t StepsOf(std::span<const WorkClass> classes) {
  std::int64_t steps = 0;
  for (const WorkClass& work : classes) steps += std::min(work.count, kMostSteps) * kStepsPerPiece;
  return std::min(steps, kMostSteps);
}

}  // namespace

void WholeDivision::Fill() {
  std::vector<std::size_t> order(classes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return Fastest(classes_[a]) > Fastest(classes_[b]); });
  for (const std::size_t c : order) {
    const std::vector<Nanos>& time = classes_[c].time;
    std::int64_t left = classes_[c].count;
    for (const auto& of_place : counts_) left -= of_place[c];
    const std::int64_t portion = std::max<std::int64_t>(left / kMostPortions, 1);
    for (; left > 0; left -= portion) {
      const std::int64_t n = std::min(left, portion);
      std::size_t best = load_.size();
      for (std::size_t place = 0; place < load_.size(); ++place) {
        if (time[place] < Nanos{0}) continue;
        if (best == load_.size() || load_[place] + n * time[place] < load_[best] + n * time[best])
          best = place;
      }
      TANDEM_CHECK(best < load_.size(), "work that is divided runs on some place");
      Add(best, c, n);
    }
  }
}

WholeDivision::Shift WholeDivision::AnyShift(std::size_t from, std::size_t to, StreamRandom& random) const {
  const std::size_t c = Below(classes_.size(), random);
  const std::int64_t there = counts_[from][c];
  if (there == 0 || classes_[c].time[to] < Nanos{0}) return {};
  // Mostly a few, sometimes many.
  const std::int64_t most = random.UniformUpTo(15) == 0 ? there : std::min<std::int64_t>(there, 3);
  return {c, from, to, 1 + random.UniformUpTo(most - 1)};
}

void WholeDivision::ImproveOnce(Nanos bound, StreamRandom& random, WholeDivision& best) {
  const std::int64_t steps = StepsOf(classes_);
  Nanos current = makespan(), least = best.makespan();
  const Nanos widest = current / kWidest;
  for (std::int64_t step = 0; step < steps && least > bound; ++step) {
    const Nanos threshold = widest / steps * (steps - step);
    const std::size_t from = random.UniformUpTo(1) == 0 ? Fullest() : Below(load_.size(), random);
    std::size_t to = Below(load_.size() - 1, random);
    if (to >= from) ++to;
    const Shift there = AnyShift(from, to, random);
    if (there.count == 0) continue;
    Apply(there);
    const Shift back = AnyShift(to, from, random);
    if (back.count > 0) Apply(back);
    const Nanos now = makespan();
    if (now > current + threshold) {
      if (back.count > 0) TakeBack(back);
      TakeBack(there);
      continue;
    }
    current = now;
    if (current >= least) continue;
    least = current;
    best = *this;
  }
}

void WholeDivision::Improve(Nanos bound, StreamRandom& random) {
  if (load_.size() < 2) return;
  const WholeDivision start = *this;
  for (std::int64_t round = 0; round < kStarts; ++round) {
    WholeDivision tried = start;
    tried.ImproveOnce(bound, random, *this);
  }
}

}  // namespace tandem
