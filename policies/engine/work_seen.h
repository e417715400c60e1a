// How much longer the work of tasks took than its profile says, as things went. Only the work counts: copies,
// loads and waiting are no work. What profiles know of neighbours, of who shares the unit and of what the
// unit did before is not found again; loads from outside, speeds and heat, of which no policy knows, are.
#pragma once

#include <optional>
#include <vector>

#include "policies/engine/occupation.h"
#include "policies/engine/progress.h"
#include "policies/engine/rates.h"

namespace tandem {

class WorkSeen {
 public:
  explicit WorkSeen(const Problem& problem);

  // May what was to be expected of a task change while it runs?
  bool changes_rates() const { return rates_.on(); }

  // The slot's task takes so much work by its profile.
  void Took(const Occupation& slot, Nanos work);
  // A step of the slot begins; ends.
  void Began(const Occupation& slot, Nanos now);
  void Ended(const Occupation& slot, Nanos now);
  // Who works from `now` on. `turns`: the slots of a unit whose slots take turns do so just as said.
  void Meet(const std::vector<Occupation>& all, Nanos now, bool turns);

  // How many times as long as was to be expected it took, exactly 1 where all was as profiled; nothing: by
  // its profile it is no work.
  std::optional<double> Times(const Occupation& slot) const;

 private:
  struct Work {
    Nanos profiled{0};
    Progress progress;  // as profiled
    double times = 1;
  };

  TaskRates rates_;
  std::vector<Work> work_;  // per place of a unit
};

}  // namespace tandem
