// What a simulation takes instead of a measurement that is missing. It is told beside the result, so that
// nobody takes an estimate for more than it is.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// A short sentence each, in a fixed order, none twice; empty where everything is measured or stated.
std::vector<std::string> EstimatesOf(const Problem& problem);

// What units that worked beside each other in a run (per unit: did it work?) may have cost each other, and no
// profile says: at most two sentences.
std::vector<std::string> SlowdownsTakenAsNone(const Problem& problem, const std::vector<char>& worked);

// Models on units that worked in a run whose times are of samples that did not come together: one sentence;
// empty where there are none.
std::string UnstableTimes(const Problem& problem, const std::vector<char>& worked);

// What profiles tell, and do not, of what two units cost each other. Looked up once: there may be many pairs.
class BesideEachOther {
 public:
  explicit BesideEachOther(const Scenario& scenario);  // outlives it

  // Is there any entry of what one of them costs the other?
  bool Known(UnitId a, UnitId b) const { return !known_.empty() && known_.contains(std::minmax(a, b)); }
  // Of two units that can meet nobody has measured it, though somebody did measure: their times, or what
  // other units cost each other.
  bool Lacking(UnitId a, UnitId b) const {
    return (others_known_ || BothMeasured(a, b)) && CanMeet(*platform_, a, b) && !Known(a, b);
  }
  // Two units that work at once from memories of their own, both as measured, nothing about each other is
  // known.
  bool LackingAcross(UnitId a, UnitId b) const {
    return BothMeasured(a, b) && !Exclude(platform_->unit(a), platform_->unit(b)) && !Known(a, b);
  }
  // Else nothing is ever known or lacking.
  bool any() const { return others_known_ || !known_.empty() || some_measured_; }

 private:
  bool BothMeasured(UnitId a, UnitId b) const { return measured_[a.index()] && measured_[b.index()]; }

  const Platform* platform_;
  std::set<std::pair<UnitId, UnitId>> known_;  // the smaller first
  bool others_known_ = false;                  // has any profile such an entry?
  bool some_measured_ = false;
  std::vector<char> measured_;  // per unit: has a profile of measurements a time of it?
};

// Models that a policy which cuts models itself could have shared out over units, were there times of their
// parts: a sentence each.
std::vector<std::string> KeptWhole(const Problem& problem);

}  // namespace tandem
