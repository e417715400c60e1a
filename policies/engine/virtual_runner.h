// The fast engine: virtual time in integer nanoseconds, no allocation per task.
#pragma once

#include <vector>

#include "policies/engine/dispatcher.h"
#include "policies/engine/occupation.h"
#include "policies/engine/runner.h"
#include "policies/engine/winner_tree.h"

namespace tandem {

class VirtualRunner final : public Runner {
 public:
  void Run(Dispatcher& dispatcher) override;
  void Start(const Occupation& slot, Nanos work) override;
  void SetRate(const Occupation& slot) override;
  void Stop(const Occupation& slot) override;
  void WakeAt(Nanos date) override { wake_up_ = date; }

 private:
  void SetEnd(std::size_t place, Nanos end);
  std::size_t CollectEnded(Nanos now);

  Nanos wake_up_ = kNever;
  std::vector<Nanos> ends_;     // per place; kNever: idle
  std::vector<PlaceId> ended_;  // at this instant; there is room for all
  WinnerTree order_;
};

// Runs the policy on the problem in virtual time.
Outcome RunVirtual(const Problem& problem, Policy& policy, const RunOptions& options = {});

}  // namespace tandem
