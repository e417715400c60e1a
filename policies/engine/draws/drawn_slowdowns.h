// Slowdowns as one draw has them: what profiles measured within its error, and what nobody measured by what
// was found where somebody did.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/engine/draws/luck.h"
#include "policies/problem/problem.h"
#include "policies/problem/slowdowns.h"

namespace tandem {

class DrawnSlowdowns {
 public:
  explicit DrawnSlowdowns(const Scenario& scenario);

  // Null where nothing slows anything down, or where what does is taken without any measurement that would
  // say how far off it is: every draw has the same then.
  std::shared_ptr<const Slowdowns> Draw(const Problem& problem, const Luck& luck) const;

  // Why nothing can be said of how sure the slowdowns are of what runs on these units (per unit: does
  // anything?); empty where it can.
  std::string Unknown(const std::vector<char>& used) const;

 private:
  bool Vary() const;  // has any profile a measured one?

  const Scenario* scenario_;
  std::vector<Profile> profiles_;  // what they say of slowdowns; the last one: what nobody measured
  // Of the logarithms of slowdowns.
  struct Pairs {
    double mean = 0;
    double spread = 0, degrees = 1;  // of one pair more, by Student's t
  };
  static std::optional<Pairs> MeasuredPairs(const std::vector<Profile>& profiles);
  static std::optional<Pairs> MeasuredSharers(const std::vector<Profile>& profiles);
  static double OneMore(const Pairs& pairs, const Luck& luck, std::uint64_t what);

  std::optional<Pairs> pairs_;  // beside others, as those that were measured; nothing: none was
  // Of two models that share a unit's time, as far off what each meets beside its like as those that were
  // measured: so are groups of which nobody measured what they cost.
  std::optional<Pairs> sharers_;
  // How far off what is taken for the load was where it was measured, as a root mean square; nothing: it
  // nowhere was.
  std::optional<double> load_error_;
  bool too_many_pairs_ = false;  // to draw what nobody measured of them
};

}  // namespace tandem
