// The one loop body of every engine: what an instant means. Completions, releases, drops, then the policy's
// decisions, in that order; docs/semantics.md has the rules. It never blocks and knows no clock but `now`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "policies/drops.h"
#include "policies/live_requests.h"
#include "policies/occupation.h"
#include "policies/policy.h"
#include "policies/problem.h"
#include "policies/rates.h"
#include "policies/releases.h"
#include "policies/runner.h"
#include "policies/transfers.h"
#include "scenarios/outcome.h"
#include "scenarios/span.h"

namespace tandem {

struct RunOptions {
  SpanSink* spans = nullptr;  // outlives the run; nothing is recorded without one
  // Called now and then with the requests that have ended; returning false cuts the run short.
  std::function<bool(std::int64_t ended)> progress;
};

class Dispatcher final : private Board {
 public:
  // All of them outlive it.
  Dispatcher(const Problem& problem, Policy& policy, const RunOptions& options = {});

  // `ended` in order of unit and slot. Time 0 comes first, with nothing ended.
  void OnInstant(Runner& runner, Nanos instant, std::span<const Ended> ended);

  // After the run: what came out. Throws InputError where requests wait for ever.
  Outcome TakeOutcome();

  std::int64_t ended_requests() const { return ended_requests_; }
  std::size_t units() const;  // the platform's, then the copy engines
  std::int64_t slots(UnitId unit) const;

 private:
  Nanos Remaining(UnitId unit) const override;

  void End(Runner& runner, const Ended& ended);
  void EndTask(Occupation& slot);
  void EndRequest(const Task& task, bool completed);
  void Release();
  void MakeReady(const Task& task, Nanos ready);
  void HandOutReady();
  void DropLate();
  void Decide(Runner& runner);
  bool TakeOne(Runner& runner, UnitId unit);
  void Advance(Runner& runner, Occupation& slot);
  void StartStep(Runner& runner, Occupation& slot, Nanos work);
  void RetryWaiting(Runner& runner);
  void StartEngines(Runner& runner);
  void UpdateRates(Runner& runner);
  void AskForWakeUp(Runner& runner);
  void Record(const Occupation& slot, Nanos until);
  void CountProgress();
  void CheckNothingWaits() const;

  const Problem* problem_;
  Policy* policy_;
  RunOptions options_;
  Releases releases_;
  Drops drops_;
  LiveRequests live_;
  Transfers transfers_;
  Rates rates_;
  Outcome outcome_;

  std::vector<Occupation> slots_;           // of all units, then of the copy engines
  std::vector<std::size_t> first_slot_;     // per unit; one more at the end
  std::vector<std::int32_t> idle_;          // idle slots per unit
  std::vector<char> may_take_;              // per unit: may the policy have something for it?
  std::vector<Task> ready_;                 // of this instant, made ready by the end of others
  std::vector<std::size_t> ended_at_once_;  // slots whose work was nothing
  Nanos wake_up_{-1};
  std::int64_t ready_tasks_ = 0;  // handed to the policy and not taken
  std::int64_t occupied_ = 0;     // slots taken, engines working
  std::int64_t ended_requests_ = 0;
  std::int64_t next_progress_ = 0;
  bool cut_short_ = false;
};

}  // namespace tandem
