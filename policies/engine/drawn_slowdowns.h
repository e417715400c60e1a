// Slowdowns as one draw has them: what profiles measured within its error, and what nobody measured by what
// was found where somebody did.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policies/engine/luck.h"
#include "policies/problem/problem.h"
#include "policies/problem/slowdowns.h"

namespace tandem {

class DrawnSlowdowns {
 public:
  explicit DrawnSlowdowns(const Scenario& scenario);

  // Null where nothing slows anything down.
  std::shared_ptr<const Slowdowns> Draw(const Problem& problem, const Luck& luck) const;

  // Why nothing can be said of how sure the slowdowns are of what runs on these units (per unit: does
  // anything?); empty where it can.
  std::string Unknown(const std::vector<char>& used) const;

 private:
  const Scenario* scenario_;
  std::vector<Profile> profiles_;  // what they say of slowdowns; the last one: what nobody measured
  // How far off what is taken for want of a measurement was where there is one, as a root mean square;
  // nothing: there is none.
  std::optional<double> pair_error_, load_error_;
  bool too_many_pairs_ = false;  // to draw what nobody measured of them
};

}  // namespace tandem
