#include "sim/questions/limit_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace tandem {
namespace {

constexpr int kMostDoublings = 14;
constexpr int kMostIslands = 4;

class LimitSearch {
 public:
  LimitSearch(const LimitQuestion& question, const std::function<Holds(double)>& holds)
      : question_(question), holds_(holds) {}

  Limit Find() {
    std::optional<double> good, bad;
    Bracket(good, bad);
    if (good && bad) Halve(*good, *bad);
    if (good && question_.checks > 0) LookAround(*good, bad);
    return Result(good, bad);
  }

 private:
  Holds Try(double value) {
    const auto [at, is_new] = tried_.try_emplace(value, Holds::kNo);
    if (is_new) at->second = holds_(value);
    return at->second;
  }
  bool IsHarder(double value, double than) const { return question_.least ? value < than : value > than; }
  double OnGrid(double value) const {
    return question_.integer ? std::round(value) : InDigits(value, question_.digits);
  }
  std::optional<double> Hardest() const { return question_.least ? question_.from : question_.to; }
  std::optional<double> Easiest() const { return question_.least ? question_.to : question_.from; }

  // Twice as hard or easy, within the ends; the value itself where there is nothing left.
  double Step(double value, bool harder) const {
    const bool more = harder != question_.least;
    double next = OnGrid(more ? value * 2 : value / 2);
    if (question_.integer && value == 0) next = more ? 1 : 0;
    if (question_.integer && !more) next = std::floor(value / 2);
    if (question_.integer && next < 1 && value >= 1) next = value > 1 ? 1 : value;
    const auto end = harder ? Hardest() : Easiest();
    if (end && (next == *end || IsHarder(next, *end) == harder)) next = *end;
    return next;
  }

  void Bracket(std::optional<double>& good, std::optional<double>& bad) {
    double at = question_.start;
    if (Hardest() && IsHarder(at, *Hardest())) at = *Hardest();
    if (Easiest() && IsHarder(*Easiest(), at)) at = *Easiest();
    bool harder = Try(at) == Holds::kYes;
    (harder ? good : bad) = at;
    for (int step = 0; step < kMostDoublings || EndFor(harder); ++step) {
      const double next = Step(at, harder);
      if (next == at) break;
      const bool holds = Try(next) == Holds::kYes;
      (holds ? good : bad) = next;
      at = next;
      if (holds != harder) return;
    }
  }
  bool EndFor(bool harder) const { return (harder ? Hardest() : Easiest()).has_value(); }

  void Halve(double& good, double& bad) {
    for (;;) {
      const double middle = question_.integer ? std::floor((good + bad) / 2) : OnGrid((good + bad) / 2);
      if (middle == good || middle == bad) {
        // Of two integers beside each other floor() gives one of them; so does the grid.
        return;
      }
      (Try(middle) == Holds::kYes ? good : bad) = middle;
    }
  }

  // Easier values, and harder ones: where it holds again, the limit is there.
  void LookAround(double& good, std::optional<double>& bad) {
    for (int island = 0; island < kMostIslands && bad; ++island) {
      std::optional<double> farthest, behind;
      for (int k = 1; k <= question_.checks; ++k) {
        const double value = Around(good, k, true);
        if (!IsHarder(value, good) || (Hardest() && IsHarder(value, *Hardest()))) continue;
        if (Try(value) == Holds::kYes) {
          farthest = value;
          behind.reset();
        } else if (farthest && !behind) {
          behind = value;
        }
      }
      if (!farthest) break;
      good = *farthest;
      bad = behind ? behind : Failing(good);
      if (bad) Halve(good, *bad);
    }
    for (int k = 1; k <= question_.checks; ++k) {
      const double value = Around(good, k, false);
      if (question_.integer && value < 1 && good >= 1) continue;  // as in Step()
      if (IsHarder(good, value) && !(Easiest() && IsHarder(*Easiest(), value))) (void)Try(value);
    }
  }
  // The k-th of the values up to twice as hard, or of as many down to a small part.
  double Around(double limit, int k, bool harder) const {
    const double share = static_cast<double>(k) / (question_.checks + (harder ? 0 : 1));
    const bool more = harder != question_.least;
    if (harder) return OnGrid(more ? limit * (1 + share) : limit / (1 + share));
    return OnGrid(more ? limit / share : limit * share);
  }
  // A harder value at which it does not hold.
  std::optional<double> Failing(double good) {
    double at = good;
    for (int step = 0; step < kMostDoublings || EndFor(true); ++step) {
      const double next = Step(at, true);
      if (next == at) return std::nullopt;
      if (Try(next) != Holds::kYes) return next;
      at = next;
    }
    return std::nullopt;
  }

  Limit Result(const std::optional<double>& good, const std::optional<double>& bad) {
    Limit limit;
    limit.value = good;
    limit.tried = static_cast<std::int64_t>(tried_.size());
    limit.beyond = good && bad && Try(*bad) == Holds::kBeyond;
    limit.ended = good && (!bad || limit.beyond);
    if (good && !limit.ended) limit.fails_at = bad;
    limit.easiest = question_.least ? tried_.rbegin()->first : tried_.begin()->first;
    for (const auto& [value, holds] : tried_) {
      if (good && holds == Holds::kNo && IsHarder(*good, value)) limit.fails_below.push_back(value);
    }
    return limit;
  }

  const LimitQuestion& question_;
  const std::function<Holds(double)>& holds_;
  std::map<double, Holds> tried_;
};

}  // namespace

double InDigits(double value, int digits) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1).ptr;
  std::from_chars(text, end, value);
  return value;
}

Limit FindLimit(const LimitQuestion& question, const std::function<Holds(double)>& holds) {
  return LimitSearch(question, holds).Find();
}

}  // namespace tandem
