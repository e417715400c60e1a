#include "policies/search/count_search.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

constexpr std::int64_t kMostSteps = 200'000, kStepsPerPiece = 800, kRounds = 3;
constexpr std::int64_t kWidest = 50;  // a step may make it worse by one part in so many, at first

class Division {
 public:
  explicit Division(const std::vector<PieceClass>& classes);

  void FillGreedily();
  Nanos longest() const { return *std::max_element(load_.begin(), load_.end()); }
  const PieceCounts& counts() const { return counts_; }
  // One round of threshold accepting; keeps the best in `best`.
  void Improve(Nanos bound, StreamRandom& random, PieceCounts& best, Nanos& least);

 private:
  struct Shift {
    std::size_t piece = 0, from = 0, to = 0;
    std::int64_t count = 0;
  };
  Shift AnyShift(std::size_t from, std::size_t to, StreamRandom& random) const;
  void Apply(const Shift& shift, std::int64_t sign);
  std::size_t Busiest() const {
    return static_cast<std::size_t>(std::max_element(load_.begin(), load_.end()) - load_.begin());
  }

  const std::vector<PieceClass>* classes_;
  std::size_t machines_;
  PieceCounts counts_;
  std::vector<Nanos> load_;
  std::int64_t steps_ = 0;  // of a round
};

std::size_t Below(std::size_t count, StreamRandom& random) {
  return static_cast<std::size_t>(random.UniformUpTo(static_cast<std::int64_t>(count) - 1));
}

Division::Division(const std::vector<PieceClass>& classes)
    : classes_(&classes),
      machines_(classes[0].time.size()),
      counts_(classes.size(), std::vector<std::int64_t>(machines_)),
      load_(machines_) {
  for (const PieceClass& piece : classes) steps_ += std::min(piece.count, kMostSteps) * kStepsPerPiece;
  steps_ = std::min(steps_, kMostSteps);
}

// In at most a thousand portions per class, the class with the longest pieces first.
void Division::FillGreedily() {
  std::vector<std::size_t> order(classes_->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto fastest = [&](std::size_t c) {
    Nanos least{INT64_MAX};
    for (const Nanos time : (*classes_)[c].time) {
      if (time >= Nanos{0}) least = std::min(least, time);
    }
    return least;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return fastest(a) > fastest(b); });
  for (const std::size_t c : order) {
    const PieceClass& piece = (*classes_)[c];
    const std::int64_t portion = std::max<std::int64_t>(piece.count / 1000, 1);
    for (std::int64_t left = piece.count; left > 0; left -= portion) {
      const std::int64_t count = std::min(left, portion);
      std::size_t best = machines_;
      for (std::size_t m = 0; m < machines_; ++m) {
        if (piece.time[m] < Nanos{0}) continue;
        if (best == machines_ || load_[m] + piece.time[m] * count < load_[best] + piece.time[best] * count)
          best = m;
      }
      counts_[c][best] += count;
      load_[best] += piece.time[best] * count;
    }
  }
}

Division::Shift Division::AnyShift(std::size_t from, std::size_t to, StreamRandom& random) const {
  const std::size_t c = Below(classes_->size(), random);
  const std::int64_t there = counts_[c][from];
  if (there == 0 || (*classes_)[c].time[to] < Nanos{0}) return {};
  // Mostly a few, sometimes many.
  const std::int64_t most = random.UniformUpTo(15) == 0 ? there : std::min<std::int64_t>(there, 3);
  return {c, from, to, 1 + random.UniformUpTo(most - 1)};
}

void Division::Apply(const Shift& shift, std::int64_t sign) {
  const std::int64_t count = sign * shift.count;
  const PieceClass& piece = (*classes_)[shift.piece];
  counts_[shift.piece][shift.from] -= count;
  counts_[shift.piece][shift.to] += count;
  load_[shift.from] -= piece.time[shift.from] * count;
  load_[shift.to] += piece.time[shift.to] * count;
}

void Division::Improve(Nanos bound, StreamRandom& random, PieceCounts& best, Nanos& least) {
  Nanos current = longest();
  const Nanos widest = current / kWidest;
  for (std::int64_t step = 0; step < steps_ && least > bound; ++step) {
    const Nanos threshold = widest / steps_ * (steps_ - step);
    const std::size_t from = random.UniformUpTo(1) == 0 ? Busiest() : Below(machines_, random);
    std::size_t to = Below(machines_ - 1, random);
    if (to >= from) ++to;
    const Shift there = AnyShift(from, to, random);
    if (there.count == 0) continue;
    Apply(there, 1);
    const Shift back = AnyShift(to, from, random);
    if (back.count > 0) Apply(back, 1);
    const Nanos now = longest();
    if (now > current + threshold) {
      if (back.count > 0) Apply(back, -1);
      Apply(there, -1);
      continue;
    }
    current = now;
    if (current >= least) continue;
    least = current;
    best = counts_;
  }
}

}  // namespace

PieceCounts DivideCounts(const std::vector<PieceClass>& classes, Nanos bound, StreamRandom& random) {
  Division greedy(classes);
  greedy.FillGreedily();
  PieceCounts best = greedy.counts();
  Nanos least = greedy.longest();
  if (classes[0].time.size() < 2) return best;
  for (std::int64_t round = 0; round < kRounds; ++round) {
    Division division = greedy;
    division.Improve(bound, random, best, least);
  }
  return best;
}

}  // namespace tandem
