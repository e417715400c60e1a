// What matters in a sweep: the main effect of every axis on a figure, and where another policy wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/factors.h"

namespace tandem {

struct MainEffect {
  std::string factor;
  double share = 0;         // of the figure's variance over all rows
  std::string best, worst;  // its values
  double best_mean = 0, worst_mean = 0;
};

// The greatest first. Of rows that have the figure, those too that may not win; by the medians over the draws
// where all of these have some.
std::vector<MainEffect> MainEffects(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                    std::string_view figure);

// Over which values of an axis a policy is best, by the mean over all that else varies.
struct Reign {
  std::string policy;  // empty: none keeps what is required
  std::string first, last;
  std::optional<double> until;  // about where the next one begins, of numbers; the last one's is open
  // At so many values, and so many of them where it can be told from all others.
  std::int64_t values = 0, told = 0;
  std::optional<double> probability;  // the least over its values; nothing where nobody knows it at one
};
struct Winners {
  std::string axis;
  std::vector<Reign> reigns;

  bool AreTold() const;  // but for ties
};

// Of every axis but the seed, from the points at which all policies ran.
std::vector<Winners> WinnersAlong(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                  std::string_view figure);

// "n: eft wins below 34 (cannot be told at 1 of 3 values), best wins above"; whoever can be told at no value
// only leads.
std::string WinnersText(const Winners& winners);

}  // namespace tandem
