// The samples of one entry as draws need them: how long disturbances last, what may lie beyond the greatest
// of few, and how sure their mean is.
#pragma once

#include <cstddef>
#include <vector>

#include "policies/engine/draws/luck.h"
#include "profiles/costs/cost_table.h"

namespace tandem {

class DrawnSamples {
 public:
  static constexpr std::size_t kManySamples = 200;  // from here on they show their tail themselves
  static constexpr std::size_t kFewSamples = Timing::kFewSamples;

  // At least two. `in_order_of_time`: they are known to stand in it, though they may also be sorted.
  explicit DrawnSamples(SampleList samples, bool in_order_of_time = false);

  std::size_t size() const { return samples_->size(); }
  // How many that follow each other are drawn together, about the root of their number: a disturbance that
  // lasts is drawn as long as it was. 1 where they are sorted and nobody knows whether by size or by a drift.
  std::size_t block() const { return block_; }

  // The sample at this position; of few, one of the upper tenth is drawn anew from an exponential tail that
  // begins where the tenth does and has its mean, so that draws exceed the greatest and the mean stays.
  double At(std::size_t position, const Luck& luck, std::uint64_t what) const;

  // The same for a proof: what it is without a tail, and where it is drawn from one (it is then `tail_from`
  // and an exponential number of mean `tail_mean`).
  Nanos Sample(std::size_t position) const { return (*samples_)[position]; }
  bool InTail(std::size_t position) const {
    return tail_mean_ > 0 && static_cast<double>(Sample(position).count()) > tail_from_;
  }
  double tail_from() const { return tail_from_; }
  double tail_mean() const { return tail_mean_; }  // 0: there is no tail

  // What one truth makes of their mean, as a factor that lasts: 1 + its standard error, from the means of
  // blocks, x Student's t, within kLeastFactor and kMostFactor. Sorted samples are taken to have drifted: the
  // mean of what was sorted by size comes out less sure than it is, never surer.
  double MeanFactor(const Luck& luck, std::uint64_t what) const;
  static constexpr double kLeastFactor = 0.2, kMostFactor = 5;

  // How far samples scatter, as a share of their mean, with as many degrees of freedom.
  struct Scatter {
    double deviation = 0, degrees = 1;
  };
  static Scatter ScatterOf(const std::vector<Nanos>& samples);  // at least two
  // As MeanFactor, of a single sample that scatters so.
  static double FactorOfOne(const Scatter& scatter, const Luck& luck, std::uint64_t what);
  // Few are taken to scatter no less than others do.
  void ScatterLikeOthers(const Scatter& others);
  // So few, and all alike: says nothing of how sure they are.
  bool agree_by_chance() const { return size() < kFewSamples && error_ == 0; }

 private:
  void FitTail();
  void FindError(std::size_t block);

  SampleList samples_;
  std::size_t block_ = 1;
  double tail_from_ = 0, tail_mean_ = 0;  // of what exceeds it; 0: no tail
  double error_ = 0, degrees_ = 1;        // of the mean, relative
};

}  // namespace tandem
