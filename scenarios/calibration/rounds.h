// Policies that took turns, round by round: what each of them takes, and how much worse one is than another,
// with confidence intervals that drift between the rounds does not widen and noise always does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "scenarios/report/replication.h"

namespace tandem {

// Of samples that are distributed like anything, the median with an interval between two of them; nothing
// where there are too few: 5 for 90 %.
std::optional<Interval> MedianInterval(std::vector<double> samples, double probability);

// One run that counts.
struct RoundSample {
  std::size_t policy = 0;
  std::int64_t round = 0;
  double value = 0;
};

// Few counts, as of missed requests, are easily the same by chance, and then say nothing of how they scatter;
// few times are not.
enum class FewAlike : std::uint8_t { kTell, kSayNothing };

// A figure is a product: of the policy's median, of what the machine was like in the round, of noise.
class Rounds {
 public:
  // Intervals hold the true value with `probability`.
  Rounds(const std::vector<RoundSample>& samples, std::size_t policies, double probability,
         FewAlike few_alike = FewAlike::kTell);

  std::int64_t runs(std::size_t policy) const;
  // Of the policy's median in the rounds' middling state; nothing of fewer than two runs, and of few that are
  // alike where these say nothing.
  std::optional<Interval> Median(std::size_t policy) const;
  // Of a policy with one run, if it scatters as the others' do; nothing where they do not tell. It may be the
  // one that does not.
  std::optional<Interval> OneRun(std::size_t policy) const;
  // How much larger `a` is than `b`, as a share of `b`, compared round by round; nothing where they have
  // fewer than two rounds in common, or few in which nothing scatters where that says nothing.
  std::optional<Estimate> Larger(std::size_t a, std::size_t b) const;

  // How much worse `named` is than the best of the rivals: in every other round than the one that is best in
  // the rounds between, and the other way round, averaged. So no run that had luck chooses whom it is
  // compared with. Below the interval's end no rival is better by more; its begin is of the rivals so chosen.
  // Nothing where no half of the rounds can choose.
  std::optional<Estimate> Behind(std::size_t named, const std::vector<std::size_t>& rivals,
                                 bool higher_is_better) const;
  // Else sums stand for products, and what is larger or behind is a difference.
  bool products() const { return products_; }

 private:
  using Runs = std::map<std::int64_t, double>;  // by round, on the scale
  struct Noise {
    double squares = 0;  // of one run
    std::int64_t degrees = 1;
  };

  void Fit();
  double Drift(std::int64_t round) const;
  double Inflation(std::int64_t round) const;
  std::vector<double> Spreading(std::size_t policy) const;
  Noise NoiseOf(std::size_t policy) const;
  bool SaysNothing(double squares) const { return few_alike_ == FewAlike::kSayNothing && squares == 0; }
  double HalfWidth(double squares, std::int64_t degrees) const;
  double RoundsHalfWidth() const;
  bool IsEven(std::int64_t round) const;
  std::vector<double> InHalf(std::size_t policy, bool even) const;
  std::optional<std::size_t> BestIn(bool even, std::size_t named, const std::vector<std::size_t>& rivals,
                                    double sign) const;
  std::optional<double> MostBehind(std::size_t named, const std::vector<std::size_t>& rivals,
                                   double sign) const;

  double probability_;
  FewAlike few_alike_;
  bool products_ = true;
  std::vector<Runs> runs_;
  std::vector<double> levels_;
  std::map<std::int64_t, double> drift_;         // of rounds that several policies share
  std::map<std::int64_t, std::int64_t> shared_;  // by how many policies, of every round
};

}  // namespace tandem
