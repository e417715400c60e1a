// What rounds of turns say of a slowdown: pure functions of lists of times. In a round the same work has its
// turns alone and beside others, one soon after the other and in random order. What the machine does
// meanwhile (a clock that drifts, a guest on the other hyperthread) meets both alike, so that their ratio
// keeps nothing of it. The slowdown is the median of these ratios: it errs to neither side, may be below 1,
// and a few rounds that were disturbed do not move it.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tandem {

struct SlowdownRound {
  double alone = 0, beside = 0;  // times of the same work; 0: nothing came of that turn
};

struct MeasuredSlowdown {
  double slowdown = 1;          // as entries have it: 0.1..1000, four decimals
  std::optional<double> error;  // relative standard error; nothing of one round alone
};

// Nothing without a round of which both turns came to something.
std::optional<MeasuredSlowdown> SlowdownOf(std::span<const SlowdownRound> rounds);
// The same of times that are sometimes many times as long, which is what counts in the end: by their sums.
std::optional<MeasuredSlowdown> SlowdownOfSums(std::span<const SlowdownRound> rounds);

// Times of one piece of work in the turns of all rounds; turn 0 is alone.
class TurnTimes {
 public:
  explicit TurnTimes(std::size_t turns, bool by_sums = false) : by_sums_(by_sums), times_(turns) {}
  void Add(std::size_t turn, double time) { times_[turn].push_back(time); }  // once a round
  void DropRound();  // the last one, of which all turns are there
  std::optional<MeasuredSlowdown> Slowdown(std::size_t turn) const;
  bool KnownTo(double error) const;  // in all turns

 private:
  bool by_sums_;
  std::vector<std::vector<double>> times_;
};

bool KnownTo(double error, std::span<const TurnTimes> pieces);
void DropRound(std::span<TurnTimes> pieces);

}  // namespace tandem
